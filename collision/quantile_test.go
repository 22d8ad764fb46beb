package collision

import (
	"math"
	"testing"
)

// TestQuantiles compares with tables of Student's distribution.
func TestQuantiles(t *testing.T) {
	for degrees, want := range map[int]float64{1: 12.706204736, 2: 4.3026527297, 10: 2.2281388520, 100: 1.9839715185} {
		if q := studentQuantile(degrees); math.Abs(q/want-1) > 1e-9 {
			t.Errorf("the quantile of %d degrees is %v, want %v", degrees, q, want)
		}
	}
}
