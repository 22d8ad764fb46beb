package speedup

import (
	"cmp"
	"errors"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

type place struct {
	impl variant.Variant
	us   float64
}

// rank prices every candidate that the device can run, best first.
func rank(t *testing.T, s *collision.Stats, d *device.Profile, c device.Call) (list []place) {
	t.Helper()
	for _, v := range variant.Candidates() {
		cost, err := Predict(v, s, d, c)
		switch {
		case err == nil:
			list = append(list, place{v, cost.US})
		case !errors.Is(err, device.ErrCannot) && !errors.Is(err, ErrNotGrouped) &&
			!errors.Is(err, ErrFrequent):
			t.Fatal(err)
		}
	}
	slices.SortStableFunc(list, func(a, b place) int { return cmp.Compare(a.us, b.us) })
	return list
}

func find(t *testing.T, list []place, name string) float64 {
	t.Helper()
	for _, p := range list {
		if p.impl.String() == name {
			return p.us
		}
	}
	t.Fatalf("%s is not ranked", name)
	return 0
}

func TestOneHotTarget(t *testing.T) {
	s := scale(measure(uniform(1<<12, 1, 1), 1, 32), 1<<12)
	list := rank(t, &s, builtin(t, "h200"), device.Call{Type: device.U32})
	if best := list[0]; best.impl.Class() == variant.Naive || find(t, list, "naive") < 100*best.us {
		t.Errorf("%s takes %.0f us, naive %.0f us", best.impl, best.us, find(t, list, "naive"))
	}
	for _, name := range []string{"sr", "vr", "peers", "match", "private", "private+sr"} {
		if us := find(t, list, name); us*10 > find(t, list, "naive") {
			t.Errorf("%s takes %.0f us, naive %.0f us", name, us, find(t, list, "naive"))
		}
	}
	// Measured: 0.42 ms for match, u32; 0.94 ms, f32.
	for typ, want := range map[device.Type]float64{device.U32: 420, device.F32: 940} {
		got := find(t, rank(t, &s, builtin(t, "h200"), device.Call{Type: typ}), "match")
		if ratio := got / want; ratio > 1.25 || ratio < 0.8 {
			t.Errorf("match %s: %.0f us, measured %.0f us", typ, got, want)
		}
	}
}

func TestManyTargets(t *testing.T) {
	s := scale(measure(uniform(1<<18, 1<<22, 1), 1<<22, 32), 64)
	list := rank(t, &s, builtin(t, "h200"), device.Call{Type: device.U32})
	if list[0].impl != (variant.Variant{}) {
		t.Errorf("%s takes %.0f us, naive %.0f us", list[0].impl, list[0].us, find(t, list, "naive"))
	}
	if naive := find(t, list, "naive"); find(t, list, "sort") < naive || find(t, list, "ss") < 100*naive {
		t.Errorf("naive %.0f, sort %.0f, ss %.0f us", naive, find(t, list, "sort"), find(t, list, "ss"))
	}
}

func TestFewTargets(t *testing.T) {
	s := scale(measure(uniform(1<<16, 256, 1), 256, 32), 256)
	list := rank(t, &s, builtin(t, "h200"), device.Call{Type: device.U32, Operand: device.One})
	if list[0].impl.Base != variant.Private {
		t.Errorf("%s takes %.0f us, private %.0f us", list[0].impl, list[0].us, find(t, list, "private"))
	}
}

func TestRunsFavourScan(t *testing.T) {
	stream := uniform(1<<16, 1<<20, 1)
	for i := range stream {
		stream[i] = stream[i/32*32]
	}
	s := scale(measure(stream, 1<<20, 32), 256)
	list := rank(t, &s, builtin(t, "h200"), device.Call{Type: device.F32})
	if sr, naive := find(t, list, "sr"), find(t, list, "naive"); list[0].us < 0.9*sr || naive < 2*sr {
		t.Errorf("%s %.0f us, sr %.0f us, naive %.0f us", list[0].impl, list[0].us, sr, naive)
	}
	if naive := find(t, list, "vr"); naive > find(t, list, "naive") {
		t.Errorf("vr %.0f us, naive %.0f us", naive, find(t, list, "naive"))
	}
}

func TestCopiesSpreadOneTarget(t *testing.T) {
	s := scale(measure(uniform(1<<12, 1, 1), 1, 32), 1<<14)
	h200 := builtin(t, "h200")
	last := 0.0
	for i, name := range []string{"private:r=16,pad=1", "private:r=8,pad=1", "private:r=4,pad=1", "private:r=2,pad=1", "private"} {
		cost, err := Predict(parse(t, name), &s, h200, device.Call{Type: device.F32})
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && cost.US < 1.5*last {
			t.Errorf("%s takes %.0f us, twice as many copies %.0f us", name, cost.US, last)
		}
		last = cost.US
	}
	// Copies a whole number of banks apart share them: a pad shifts them.
	wide := scale(measure(make([]uint32, 1<<12), 1024, 32), 1<<14)
	with, err := Predict(parse(t, "private:r=8,pad=1"), &wide, h200, device.Call{})
	if err != nil {
		t.Fatal(err)
	}
	without, err := Predict(parse(t, "private:r=8"), &wide, h200, device.Call{})
	if err != nil || without.US < 1.8*with.US {
		t.Errorf("%.0f us without a pad, %.0f us with one, %v", without.US, with.US, err)
	}
}

func TestEachDeviceRanks(t *testing.T) {
	checked := 0
	for _, name := range device.Names() {
		d := builtin(t, name)
		s := scale(measure(uniform(1<<12, 4, 1), 4, int(d.Core.WarpLanes.Value)), 1<<10)
		for _, typ := range device.Types() {
			list := rank(t, &s, d, device.Call{Type: typ})
			if len(list) < 2 || list[0].impl.Class() == variant.Naive {
				t.Errorf("%s %s: %d implementations ranked, best %v", name, typ, len(list), list)
			}
			checked += len(list)
		}
	}
	if checked < 200 {
		t.Errorf("checked %d prices", checked)
	}
}

func TestGroupedStream(t *testing.T) {
	stream := make([]uint32, 1<<16)
	for i := range stream {
		stream[i] = uint32(i / 64)
	}
	h200 := builtin(t, "h200")
	s := measure(stream, 1<<10, 32)
	s.Updates <<= 8
	s.Bins, s.Unique, s.Runs = s.Updates/64, s.Updates/64, s.Updates/64
	list := rank(t, &s, h200, device.Call{Type: device.F64})
	seg, sort, naive := find(t, list, "segreduce"), find(t, list, "sort"), find(t, list, "naive")
	if seg > 0.5*sort || seg > naive {
		t.Errorf("segreduce %.0f us, sort %.0f us, naive %.0f us", seg, sort, naive)
	}
	// The threads in flight work on few neighbouring targets of a sorted stream,
	// so fewer slices are busy than under the same targets in runs at random.
	random := s
	random.Runs++
	if far := find(t, rank(t, &random, h200, device.Call{Type: device.F64}), "naive"); far > 0.9*naive {
		t.Errorf("naive takes %.0f us on a sorted stream, %.0f us on runs at random", naive, far)
	}
}
