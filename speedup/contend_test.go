package speedup

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/device"
)

// TestContend: alone no warp waits, and the more warps meet at a word the longer each
// takes; warps that never have the same target do not meet.
func TestContend(t *testing.T) {
	d := builtin(t, "h200")
	call := device.Call{Type: device.F64}
	us := func(name string, stream []uint32, bins uint64) float64 {
		s := scale(measure(stream, bins, 32, 256), 1<<8)
		cost, err := Predict(parse(t, name), &s, d, call)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range cost.Phases {
			if p.Name == "update" {
				return p.US
			}
		}
		t.Fatalf("%s has no update", name)
		return 0
	}
	apart := make([]uint32, 1<<14) // the lanes of a block differ
	for i := range apart {
		apart[i] = uint32(i % 1024)
	}
	few := make([]uint32, 1<<14) // each warp has the same 32 targets
	for i := range few {
		few[i] = uint32(i % 32)
	}
	alone, meeting := us("private", apart, 1024), us("private", few, 1024)
	if meeting < 1.1*alone {
		t.Errorf("%.1f us where warps meet, %.1f us where they do not", meeting, alone)
	}
	before := 0.0
	for _, name := range []string{"private:r=4,map=block", "private"} { // two warps, and eight, at a copy
		now := us(name, few, 32)
		if now < 1.03*before {
			t.Errorf("%s: %.1f us, with fewer warps at a copy %.1f us", name, now, before)
		}
		before = now
	}
	b, adds := bundleOf(t, "private", call), d.Shared.ContendedAdds.Value
	if one, all := b.overlapped(1), b.overlapped(1e9); one != 1 || math.Abs(all-1/adds) > 1e-8 {
		t.Errorf("a lock is held for %v of a turn by one warp, %v by many", one, all)
	}
}
