package validate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// TestKendallDefinition compares tau-b with a count over all pairs and groups of
// ties, by the other form of its definition.
func TestKendallDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	checked := 0
	for range 500 {
		n := 2 + rng.IntN(20)
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i], b[i] = float64(rng.IntN(8)), float64(rng.IntN(8))
		}
		var concordant, discordant float64
		for i := range n {
			for k := i + 1; k < n; k++ {
				switch {
				case a[i] < a[k] && b[i] < b[k], a[i] > a[k] && b[i] > b[k]:
					concordant++
				case a[i] < a[k] && b[i] > b[k], a[i] > a[k] && b[i] < b[k]:
					discordant++
				}
			}
		}
		n0 := float64(n*(n-1)) / 2
		want := (concordant - discordant) / math.Sqrt((n0-tiedPairs(a))*(n0-tiedPairs(b)))
		got := kendall(a, b)
		if math.IsNaN(want) != math.IsNaN(got) || math.Abs(want-got) > 1e-12 {
			t.Fatalf("%v, %v: %v, want %v", a, b, got, want)
		}
		if !math.IsNaN(got) {
			checked++
		}
	}
	if checked < 450 {
		t.Errorf("%d lists compared", checked)
	}
}

// tiedPairs is the sum of t(t-1)/2 over groups of t equal values.
func tiedPairs(a []float64) (pairs float64) {
	size := map[float64]int{}
	for _, v := range a {
		pairs += float64(size[v])
		size[v]++
	}
	return pairs
}

// TestKendallWithoutTies compares with gonum's tau-a, which is the same there.
func TestKendallWithoutTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := 2; n < 30; n++ {
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i], b[i] = rng.Float64(), rng.Float64()
		}
		if got, want := kendall(a, b), stat.Kendall(a, b, nil); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d values: %v, gonum says %v", n, got, want)
		}
		reverse := slices.Clone(a)
		for i := range reverse {
			reverse[i] = -reverse[i]
		}
		if kendall(a, a) != 1 || kendall(a, reverse) != -1 {
			t.Errorf("%v: %v with itself, %v with the reverse", a, kendall(a, a), kendall(a, reverse))
		}
	}
	if tau := kendall([]float64{1}, []float64{2}); !math.IsNaN(tau) {
		t.Errorf("one value: %v", tau)
	}
}
