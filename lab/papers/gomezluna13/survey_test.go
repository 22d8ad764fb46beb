package gomezluna13

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/latency"
)

func options(t testing.TB, o papers.Options) papers.Options {
	t.Helper()
	o, err := o.Complete()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestShare: every task is done once, and an error ends the work.
func TestShare(t *testing.T) {
	for _, cores := range []int{1, 2, 7} {
		o := options(t, papers.Options{Cores: cores})
		done := make([]atomic.Int32, 50)
		worker := func() (func(int) error, error) {
			return func(task int) error { done[task].Add(1); return nil }, nil
		}
		if err := o.Share(context.Background(), len(done), worker); err != nil {
			t.Fatal(err)
		}
		for task := range done {
			if n := done[task].Load(); n != 1 {
				t.Errorf("%d cores: task %d was done %d times", cores, task, n)
			}
		}
		broken := errors.New("broken")
		tried := atomic.Int32{}
		err := o.Share(context.Background(), 1000, func() (func(int) error, error) {
			return func(int) error { tried.Add(1); return broken }, nil
		})
		if !errors.Is(err, broken) || int(tried.Load()) > cores {
			t.Errorf("%d cores: %v after %d tasks", cores, err, tried.Load())
		}
		if err := o.Share(context.Background(), 3, func() (func(int) error, error) {
			return nil,
				broken
		}); !errors.Is(err, broken) {
			t.Errorf("%d cores: %v", cores, err)
		}
	}
}

// TestTimesCountOnce: a process that is listed twice counts once.
func TestTimesCountOnce(t *testing.T) {
	v := histogram(layout{words: 8, copies: 1})
	other := histogram(layout{words: 8, copies: 2})
	if got := distinct([]voting{v, other, v}); !slices.Equal(got, []voting{v, other}) {
		t.Errorf("%+v", got)
	}
	indices := make([]uint32, 100)
	o := options(t, papers.Options{})
	us, err := timesOf(context.Background(), o, []voting{v, v}, 2,
		func(int, int) []uint32 { return indices })
	if err != nil {
		t.Fatal(err)
	}
	d, err := gtx580()
	if err != nil {
		t.Fatal(err)
	}
	alone, err := v.process(d, 0).Run(indices)
	if err != nil || math.Abs(us[v]-alone.US) > 1e-9 {
		t.Errorf("%v us, want %v, %v", us[v], alone.US, err)
	}
}

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
		if !histogram(l).runs(d) || l.mapping != impl.Cyclic || !fewOfLong(l) {
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

// TestNaturalImage: neighbouring pixels are related as in photographs. In seven
// photographs of eight bits, 47 to 82 % of the neighbours shared one of 32 bins
// and 8 to 58 % one of 256; the correlation of six of them was 0.93 to 0.99.
func TestNaturalImage(t *testing.T) {
	for seed := range uint64(3) {
		m := NaturalImage(seed, 256, 192)
		if err := m.Validate(); err != nil || len(m.Pixels) != 256*192 {
			t.Fatalf("%d pixels, %v", len(m.Pixels), err)
		}
		few, some, many := equalNeighbours(m, 32), equalNeighbours(m, 256), equalNeighbours(m, 4096)
		if few < 0.45 || few > 0.85 || some < 0.08 || some > 0.4 || many > 0.05 {
			t.Errorf("seed %d: %.2f, %.2f and %.2f of the neighbours share one of 32, 256 and 4,096 bins",
				seed, few, some, many)
		}
		if r := correlation(m.Pixels); r < 0.8 || r > 0.99 {
			t.Errorf("seed %d: neighbours have the correlation %.3f", seed, r)
		}
		if !slices.Equal(m.Pixels, NaturalImage(seed, 256, 192).Pixels) ||
			slices.Equal(m.Pixels, NaturalImage(seed+1, 256, 192).Pixels) {
			t.Errorf("seed %d: the image is not a function of the seed", seed)
		}
		if used := len(slices.Compact(slices.Sorted(slices.Values(m.Pixels)))); used < 1000 {
			t.Errorf("seed %d: %d of 4,096 levels", seed, used)
		}
	}
	if m := NaturalImage(1, 1, 1); len(m.Pixels) != 1 || m.Validate() != nil {
		t.Errorf("one pixel: %+v", m)
	}
}

func correlation(pixels []uint32) float64 {
	mean := 0.0
	for _, p := range pixels {
		mean += float64(p) / float64(len(pixels))
	}
	both, square := 0.0, 0.0
	for i := 1; i < len(pixels); i++ {
		a, b := float64(pixels[i-1])-mean, float64(pixels[i])-mean
		both += a * b
		square += b * b
	}
	return both / math.Max(square, 1)
}

// TestOffsets compares the layouts with those of package latency, wherever the
// copies divide the warp, and both equations with copies counted out by hand.
func TestOffsets(t *testing.T) {
	checked := 0
	for _, words := range voteSpaces {
		for _, l := range layoutsOf(words) {
			if lanes%l.copies != 0 {
				continue
			}
			v := latency.Votes{Words: words, Replicas: l.copies, Pad: l.pad, Map: l.mapping, Threads: lanes}
			for thread, at := range l.offsets() {
				if want := v.Offset(thread); int(at) != want {
					t.Fatalf("%+v: thread %d begins at %d, want %d", l, thread, at, want)
				}
				checked++
			}
			if l.total() != v.Total() || !l.fits() {
				t.Errorf("%+v takes %d words, want %d", l, l.total(), v.Total())
			}
		}
	}
	if checked < 100*lanes {
		t.Errorf("%d offsets", checked)
	}
	// Of 12 copies each is for ⌊32/12⌋ = 2 lanes in turn, from the first again
	// after the last.
	twelve := layout{words: 1, copies: 12, mapping: impl.Block}.offsets()
	if got := []int32{twelve[0], twelve[1], twelve[2], twelve[23], twelve[24],
		twelve[31]}; !slices.Equal(got, []int32{0, 0, 1, 11, 0, 3}) {
		t.Errorf("lanes 0, 1, 2, 23, 24, 31 use the copies %v", got)
	}
}

// TestDegrees compares the counts with maps.
func TestDegrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var d degrees
	const rounds = 3000
	shared := 0
	for range rounds {
		pattern := make([]int32, lanes)
		reach := 1 << (1 + rng.IntN(13))
		onWord, onLock, onBank := map[int32]int{}, map[int32]int{}, map[int32]map[int32]bool{}
		position, lock, bank := 0, 0, 0
		for l := range pattern {
			w := int32(rng.IntN(min(reach, sharedWords)))
			pattern[l] = w
			onWord[w]++
			onLock[w%1024]++
			if onBank[w%32] == nil {
				onBank[w%32] = map[int32]bool{}
			}
			onBank[w%32][w] = true
			position, lock, bank = max(position, onWord[w]), max(lock, onLock[w%1024]),
				max(bank, len(onBank[w%32]))
		}
		if p, q, b := d.of(pattern); p != position || q != lock || b != bank {
			t.Fatalf("%v: %d, %d, %d, want %d, %d, %d", pattern, p, q, b, position, lock, bank)
		}
		if lock > position {
			shared++
		}
	}
	if shared < 100 {
		t.Errorf("%d of %d patterns with aliased words", shared, rounds)
	}
}
