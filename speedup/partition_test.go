package speedup

import (
	"fmt"
	"math"
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

// partsOn is what parts of a call on the H200 take.
func partsOn(t *testing.T, name string, s *collision.Stats, c device.Call) map[string]float64 {
	t.Helper()
	_, of := priced(t, name, s, builtin(t, "h200"), c)
	return of
}

// TestPartitionWidth: the narrower the ranges, the shorter are the pieces in which a tile is
// written, so the longer takes the split.
func TestPartitionWidth(t *testing.T) {
	s, last := even(24, 24), 0.0
	for width := 32768; width >= 2048; width /= 2 {
		of := partsOn(t, fmt.Sprintf("partition:w=%d", width), &s, device.Call{})
		if of["split"] <= 1.08*last || of["split latency"] != of["split"] {
			t.Errorf("ranges of %d targets: %v after %v us of ranges twice as wide", width, of, last)
		}
		last = of["split"]
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
	loop := partsOn(t, "partition:w=8192", &s, device.Call{Type: device.F32})
	native := partsOn(t, "partition:w=8192", &s, device.Call{Type: device.U32})["add"]
	if loop["add lock"] < native || loop["add port"] != loop["add"] || native > 0.25*loop["add"] {
		t.Errorf("f32 %v, u32 %v us", loop, native)
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
	for name, c := range map[string]device.Call{"split": {Operand: device.One}, "add": {Type: device.F32}} {
		one, many := partsOn(t, "partition:w=8192", &short, c)[name], partsOn(t, "partition:w=8192", &long, c)[name]
		if many < 1.3*one {
			t.Errorf("%s: %v us of runs, %v us of single updates", name, many, one)
		}
	}
}
