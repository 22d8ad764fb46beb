package gomezluna13

import (
	"context"
	"math"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/latency"
	"github.com/atomtune/atomtune/variant"
)

// TestAloneOnImages: on images of one grey, the lanes of a warp meet on one word in block mapping, and
// on one of each copy in cyclic mapping.
func TestAloneOnImages(t *testing.T) {
	d, err := gtx580()
	if err != nil {
		t.Fatal(err)
	}
	p, err := latency.ForDevice(d, device.OpAdd, device.U32)
	if err != nil {
		t.Fatal(err)
	}
	grey := papers.Image{Pixels: make([]uint32, 64*16)}
	o := options(t, papers.Options{Images: []papers.Image{grey, grey}})
	got, err := aloneOnImages(context.Background(), o, d)
	if err != nil {
		t.Fatal(err)
	}
	place, checked := 0, 0
	eachCopied(func(l layout) {
		if !histogram(l).runs(d) || l.mapping != variant.Cyclic || !fewOfLong(l) {
			return
		}
		ratio := math.Inf(1)
		if place < len(got) {
			ratio = got[place]
		}
		if place++; l.copies&(l.copies-1) > 0 {
			return // warps differ
		}
		block, cyclic := make([]int32, lanes), make([]int32, lanes)
		for k := range cyclic {
			cyclic[k] = int32(k % l.copies * (l.words + l.pad))
		}
		alike, err := latency.Warp(block, p)
		if err != nil {
			t.Fatal(err)
		}
		apart, err := latency.Warp(cyclic, p)
		if err != nil {
			t.Fatal(err)
		}
		if want := alike.Cycles / apart.Cycles; math.Abs(ratio-want) > 1e-9 {
			t.Errorf("%+v: ratio %v, want %v", l, ratio, want)
		}
		checked++
	})
	if checked < 10 || place != len(got) {
		t.Errorf("%d ratios of %d layouts, %d checked", len(got), place, checked)
	}
}
