package regression

import (
	"math"
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

// TestOutlier: rows that lie far out have no weight in the end, so that the others alone decide.
func TestOutlier(t *testing.T) {
	m := Model{Use: []bool{true}}
	var rows [][]float64
	for i := range 20 {
		x := 1 + float64(i)
		y := 2 * x
		if i%7 == 3 {
			y *= 10
		}
		rows, m.Y = append(rows, []float64{x}), append(m.Y, y)
	}
	m.Design = Each(rows)
	m.Solve()
	if math.Abs(m.B[0]-2) > 1e-9 {
		t.Errorf("the slope is %v, want 2", m.B[0])
	}
	for i, w := range m.Weights {
		if out := i%7 == 3; out != (w == 0) {
			t.Errorf("row %d has weight %v", i, w)
		}
	}
}
