package speedup

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
)

// even returns the statistics of a stream of 2^updates updates of 2^bins targets at random, without
// what tables cover.
func even(updates, bins int) collision.Stats {
	const drawn = 16
	s := measure(uniform(1<<drawn, 1<<bins, 7), 1<<bins, 32)
	s = scale(s, 1<<(updates-drawn))
	mean := math.Ldexp(1, updates-bins)
	s.Unique = uint64(math.Ldexp(-math.Expm1(-mean), bins))
	s.MaxFrequency = uint64(mean + 6*math.Sqrt(mean) + 6)
	s.MaxChunkFrequency4 = max(s.MaxFrequency, uint64(64*mean+6*math.Sqrt(64*mean)+6))
	s.MaxChunkFrequency8 = s.MaxChunkFrequency4
	s.Runs = s.Updates
	s.AllLevel = float64(s.Updates) / float64(s.Unique)
	return s
}

func priceOf(t *testing.T, name string, s *collision.Stats, c device.Call) Cost {
	t.Helper()
	cost, err := Predict(parse(t, name), s, builtin(t, "h200"), c)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return cost
}

// TestPartitionPays: where targets lie beyond L2, a partition takes less time than plain atomics
// and a sort, and where they lie in L2 more than plain atomics.
func TestPartitionPays(t *testing.T) {
	for _, c := range []struct {
		updates, bins int
		pays          bool
	}{{26, 25, true}, {26, 27, true}, {24, 25, true}, {24, 21, false}, {20, 20, false}} {
		s := even(c.updates, c.bins)
		parted := priceOf(t, "partition:w=32768", &s, device.Call{Type: device.F32}).US
		for _, other := range []string{"naive", "sort"} {
			us := priceOf(t, other, &s, device.Call{Type: device.F32}).US
			if pays := parted < us; pays != c.pays && (c.pays || other == "naive") {
				t.Errorf("2^%d updates of 2^%d targets: %v us parted, %v us by %s", c.updates, c.bins,
					parted, us, other)
			}
		}
	}
}

// TestPartitionWidth: the narrower the ranges, the shorter are the pieces in which a tile is
// written, so the longer takes the split.
func TestPartitionWidth(t *testing.T) {
	s, last := even(24, 24), 0.0
	for width := 32768; width >= 2048; width /= 2 {
		cost := priceOf(t, fmt.Sprintf("partition:w=%d", width), &s, device.Call{})
		at := slices.IndexFunc(cost.Phases, func(p Phase) bool { return p.Name == "split" })
		if split := cost.Phases[at]; split.US <= 1.08*last || split.Binding != "latency" {
			t.Errorf("ranges of %d targets: %+v after %v us of ranges twice as wide", width, split, last)
		}
		last = cost.Phases[at].US
	}
}

// TestPartitionLock: where one target has half of the updates, floats wait for its lock in the
// blocks that add them, and try again and again.
func TestPartitionLock(t *testing.T) {
	stream := uniform(1<<16, 1<<22, 5)
	for i := range stream {
		if i%2 == 1 {
			stream[i] = 77
		}
	}
	s := scale(tabled(stream, 1<<22, 32), 1<<8)
	of := func(name string, typ device.Type) Phase {
		cost := priceOf(t, name, &s, device.Call{Type: typ})
		at := slices.IndexFunc(cost.Phases, func(p Phase) bool { return p.Name == "add" })
		return cost.Phases[at]
	}
	loop, native := of("partition:w=8192", device.F32), of("partition:w=8192", device.U32)
	at := slices.IndexFunc(loop.Bounds, func(b Bound) bool { return b.Name == "lock" })
	if at < 0 || loop.Bounds[at].US < native.US || loop.Binding != "port" || native.US > 0.25*loop.US {
		t.Errorf("f32 %+v, u32 %v us", loop, native.US)
	}
}

// TestPartitionRuns: lanes that add neighbouring updates of a run meet, and so do those that count
// them for places.
func TestPartitionRuns(t *testing.T) {
	const updates, bins, length = 1 << 19, 1 << 22, 128
	starts := uniform(updates/length, bins, 3)
	runs := make([]uint32, updates)
	for i := range runs {
		runs[i] = starts[i/length]
	}
	long := tabled(runs, bins, 32)
	single := uniform(updates, bins, 3)
	short := tabled(single, bins, 32)
	of := func(name string, s *collision.Stats, c device.Call) float64 {
		cost := priceOf(t, "partition:w=8192", s, c)
		return cost.Phases[slices.IndexFunc(cost.Phases, func(p Phase) bool { return p.Name == name })].US
	}
	for _, name := range []string{"split", "add"} {
		c := device.Call{Type: device.F32}
		if name == "split" {
			c = device.Call{Operand: device.One}
		}
		if one, many := of(name, &short, c), of(name, &long, c); many < 1.3*one {
			t.Errorf("%s: %v us of runs, %v us of single updates", name, many, one)
		}
	}
}

// TestPartitionValues: loaded values take longer to split, as far as their bytes and words say.
func TestPartitionValues(t *testing.T) {
	s := even(26, 23)
	us := func(c device.Call) float64 {
		cost := priceOf(t, "partition:w=16384", &s, c)
		at := slices.IndexFunc(cost.Phases, func(p Phase) bool { return p.Name == "split" })
		return cost.Phases[at].US
	}
	one := us(device.Call{Operand: device.One})
	if four, eight := us(device.Call{}), us(device.Call{Type: device.F64}); four < 1.5*one ||
		eight < 1.2*four {
		t.Errorf("%v us of ones, %v us of u32, %v us of f64", one, four, eight)
	}
}
