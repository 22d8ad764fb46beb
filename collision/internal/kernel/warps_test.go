package kernel

import "testing"

// TestCountersBeginAgain: numbers of warps and blocks that run over leave nothing behind.
func TestCountersBeginAgain(t *testing.T) {
	warp := []uint32{7, 7, 3, 9}
	fresh, counter := newWarpCounter(4), newWarpCounter(4)
	measured := func(c *warpCounter, warp []uint32) (s Totals) {
		c.measure(warp, &s)
		return s
	}
	want := measured(fresh, warp)
	counter.warp = 1<<32 - 3
	for range 6 {
		if got := measured(counter, warp); got != want {
			t.Errorf("warp %d: %v, want %v", counter.warp, got, want)
		}
	}
	if counter.warp >= 6 {
		t.Errorf("warp %d after numbers ran over", counter.warp)
	}
	blocks := newBlockCounter(4)
	for i := range 3 << 15 {
		if highest, distinct := blocks.measure(warp); highest != 2 || distinct != 3 {
			t.Fatalf("block %d: %d, %d", i, highest, distinct)
		}
	}
}

// TestCrowdedTables: warps and blocks whose targets all belong to a few places are counted right.
func TestCrowdedTables(t *testing.T) {
	const lanes = 64
	warps, blocks := newWarpCounter(lanes), newBlockCounter(lanes)
	var warp, targets []uint32
	for key := uint32(0); len(warp) < lanes; key += 8 { // sectors that belong to one place
		if uint64(key/8)*golden>>warps.sectorShift == 5 {
			warp = append(warp, key)
		}
	}
	for key := uint32(0); len(targets) < lanes; key++ {
		if uint64(key)*golden>>blocks.shift == 5 {
			targets = append(targets, key)
		}
	}
	warp[1] = warp[0]
	targets[1] = targets[0]
	for range 2 {
		var s Totals
		warps.measure(warp, &s)
		if s[WarpHighest] != 2 || s[WarpDistinct] != lanes-1 || s[WarpSectors4] != lanes-1 ||
			s[WarpPasses4] != lanes || s[WarpPasses8] != lanes {
			t.Errorf("a crowded warp: %v", s)
		}
		if highest, distinct := blocks.measure(targets); highest != 2 || distinct != lanes-1 {
			t.Errorf("a crowded block: %d, %d", highest, distinct)
		}
	}
}
