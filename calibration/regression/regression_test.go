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

// TestSystem: leaving out zeros and holding equal rows once gives what the plain sums over all rows and terms give.
func TestSystem(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		m := Model{Use: []bool{true, true, false, true}}
		for range 6 {
			row := []float64{1, 0, 0, 0}
			for j := 1; j < len(row); j++ {
				row[j] = float64(rng.IntN(3) * rng.IntN(4))
			}
			m.X = append(m.X, row)
		}
		var weights, scaled []float64
		for range 40 {
			m.Of = append(m.Of, int32(rng.IntN(len(m.X))))
			m.Y = append(m.Y, 1+rng.Float64())
			weights, scaled = append(weights, max(0, rng.Float64()-0.2)), append(scaled, 1+rng.Float64())
		}
		want := plainLeast(&m, weights, scaled)
		system := m.System()
		for range 2 { // what one call leaves does not matter to the next
			if got := system.Least(weights, scaled); !slices.EqualFunc(got, want, near) {
				t.Fatalf("%v, want %v", got, want)
			}
		}
		m.B = want
		for i, e := range m.Errors() {
			sum := 0.0
			for _, j := range m.Terms() {
				sum += m.X[m.Of[i]][j] * want[j]
			}
			if !near(e, sum/m.Y[i]-1) {
				t.Fatalf("row %d: error %v, want %v", i, e, sum/m.Y[i]-1)
			}
		}
	}
}

// near reports whether numbers differ by no more than rounding.
func near(x, y float64) bool { return math.Abs(x-y) <= 1e-9*max(1, math.Abs(y)) }

// plainLeast is System.Least without its economies.
func plainLeast(m *Model, weights, scaled []float64) []float64 {
	terms := m.Terms()
	n := len(terms)
	gram, right := make([]float64, n*n), make([]float64, n)
	for i, of := range m.Of {
		w := weights[i] / (scaled[i] * scaled[i])
		for a, j := range terms {
			v := m.X[of][j] * w
			right[a] += v * m.Y[i]
			for c := a; c < n; c++ {
				gram[a*n+c] += v * m.X[of][terms[c]]
			}
		}
	}
	all := make([]float64, len(m.Use))
	for a, b := range solveGram(gram, right) {
		all[terms[a]] = b
	}
	return all
}

// TestRescaled: predictions take the place of measurements that they lie near.
func TestRescaled(t *testing.T) {
	m := Model{Design: Each([][]float64{{1}, {2}, {3}}), Y: []float64{3, 3, 100}, Use: []bool{true},
		B: []float64{2}}
	if got := m.Rescaled(); !slices.Equal(got, []float64{2, 4, 100}) {
		t.Errorf("%v", got)
	}
	if errs := m.Errors(); math.Abs(errs[1]-1.0/3) > 1e-15 {
		t.Errorf("errors %v", errs)
	}
}
