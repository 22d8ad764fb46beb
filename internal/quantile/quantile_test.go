package quantile

import (
	"slices"
	"testing"
)

// TestOf compares with R's quantile(c(4, 1, 3, 2), p), whose default is type 7.
func TestOf(t *testing.T) {
	values := []float64{4, 1, 3, 2}
	for p, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 2.5, 0.9: 3.7, 1: 4} {
		if got := Of(values, p); got != want {
			t.Errorf("%v-quantile %v, want %v", p, got, want)
		}
	}
	if !slices.Equal(values, []float64{4, 1, 3, 2}) {
		t.Errorf("the values are now %v", values)
	}
	if got := Of([]float64{7}, 0.3); got != 7 {
		t.Errorf("%v of one value", got)
	}
}
