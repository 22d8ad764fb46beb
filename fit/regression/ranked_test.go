package regression

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRanked compares with sorting, values that occur several times among them.
func TestRanked(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := 1; n < 200; n++ {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(rng.IntN(1 + rng.IntN(2*n)))
		}
		sorted := slices.Sorted(slices.Values(values))
		k := rng.IntN(n)
		if got := ranked(values, k); got != sorted[k] {
			t.Errorf("%v at place %d of %v", got, k, sorted)
		}
	}
}
