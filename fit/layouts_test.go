package fit

import "testing"

// TestLayouts: each chunk may have a slice of its own, or take turns on up to 16; a region holds whole turns,
// and no layout stands twice.
func TestLayouts(t *testing.T) {
	seen := map[layout]bool{}
	for _, l := range layouts() {
		if seen[l] || l.region%(l.chunk*l.slices) != 0 || l.slices == 1 && l.region != l.chunk {
			t.Errorf("%+v", l)
		}
		seen[l] = true
	}
	for _, want := range []layout{{32, 32, 1}, {8192, 8192, 1}, {32, 64, 2}, {32, 65536, 16}, {4096, 65536, 16},
		{8192, 16384, 2}} {
		if !seen[want] {
			t.Errorf("%+v is not searched", want)
		}
	}
	if got := (layout{64, 256, 2}).slice(256 + 3*64); got != 3 { // second region, odd chunk
		t.Errorf("slice %d, want 3", got)
	}
}
