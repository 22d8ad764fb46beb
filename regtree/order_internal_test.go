package regtree

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestAscending: the order by digits is the stable order by value, of both zeros, of what has no
// normal form, and of values that are often equal or alike in all digits but one.
func TestAscending(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 5e-324, -5e-324, math.MaxFloat64, -math.MaxFloat64,
		1, math.Nextafter(1, 2), math.Nextafter(1, 0), -1, 256, 65536}
	sorted := 0
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.SampledFrom(special), rapid.Float64Range(-math.MaxFloat64,
			math.MaxFloat64), rapid.Map(rapid.IntRange(-3, 3), func(i int) float64 { return float64(i) }))
		column := rapid.SliceOfN(value, 0, 60).Draw(t, "column")
		want := make([]int32, len(column))
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(column[a], column[b]) })
		if have := ascending(column); !slices.Equal(have, want) {
			t.Fatalf("order %v of %v, want %v", have, column, want)
		}
		sorted += len(column)
	})
	if sorted < 20 {
		t.Errorf("sorted %d values", sorted)
	}
}
