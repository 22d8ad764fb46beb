package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestKendallDefinition compares tau-b with a count over all pairs and groups of
// ties, by the other form of its definition.
func TestKendallDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	checked := 0
	for range 500 {
		n := 1 + rng.IntN(20)
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
	if checked < 400 {
		t.Errorf("%d lists compared", checked)
	}
}

// TestMeanTau: the tau of a group of calls is 1 where the predicted times have the order of the
// measured ones and -1 where they have the reverse; groups of two are no ranking.
func TestMeanTau(t *testing.T) {
	call := func(label string, measured, simulated float64) point {
		p := point{simulatedUS: simulated}
		p.Label, p.measuredUS = label, measured
		return p
	}
	same := []point{call("a", 1, 10), call("a", 2, 20), call("a", 3, 30)}
	reverse := []point{call("b", 1, 30), call("b", 2, 20), call("b", 3, 10), call("c", 1, 1), call("c", 2, 2)}
	simulated := func(p point) float64 { return p.simulatedUS }
	for _, c := range []struct {
		points []point
		tau    float64
		groups int
	}{{same, 1, 1}, {reverse, -1, 1}, {slices.Concat(same, reverse), 0, 2}} {
		if got := meanTau("", c.points, simulated); got.Value != c.tau || got.Rows != c.groups {
			t.Errorf("tau %v of %d groups, want %v of %d", got.Value, got.Rows, c.tau, c.groups)
		}
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
