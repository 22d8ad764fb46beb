package job

import (
	"slices"
	"testing"
)

// TestMedian: that of an even number is the mean of the two in the middle; the values stay as
// they are.
func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{7}, 7}, {[]float64{9, 1, 4}, 4}, {[]float64{8, 2}, 5}, {[]float64{9, 1, 4, 6}, 5}} {
		before := slices.Clone(c.values)
		if got := Median(c.values); got != c.want || !slices.Equal(before, c.values) {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
	}
}
