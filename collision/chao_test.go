package collision

import (
	"math"
	"testing"
)

// TestChao2 holds the estimate of targets that no sampled block holds against figures by hand,
// with w = t/(t-1) and q = t/total.
func TestChao2(t *testing.T) {
	for _, c := range []struct{ once, twice, t, total, want float64 }{
		{6, 3, 10, 100, 36 / (2*(10.0/9)*3 + 6*0.1/0.9)},
		{6, 0, 10, 100, 36 / (6 * 0.1 / 0.9)},
		{0, 3, 10, 100, 0},
		{6, 3, 100, 100, 0}, // all blocks were sampled
		{6, 0, 1, 2, 6},     // half of two blocks
	} {
		if got := chao2Unseen(c.once, c.twice, c.t, c.total); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v once, %v twice, %v of %v blocks: %v, want %v", c.once, c.twice, c.t, c.total, got,
				c.want)
		}
	}
}
