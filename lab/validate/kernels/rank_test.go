package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
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

// TestNearTies: what the reasons of the ranking's known gaps say of the recordings:
// how many implementations lie close together, and how well the ranks of the medians
// agree with those of the least repeats, for candidates of a choice on the streams
// of which the table has all calls.
func TestNearTies(t *testing.T) {
	table, err := RecordedKernels()
	if err != nil {
		t.Fatal(err)
	}
	g, err := recordedSet()
	if err != nil {
		t.Fatal(err)
	}
	streams := map[string]bool{}
	for _, c := range g.plannedStreams(table.Plan) {
		streams[c.Label] = true
	}
	calls, err := h200.Archive.Calls(recordings.HeldOut)
	if err != nil {
		t.Fatal(err)
	}
	type question struct {
		label string
		call  device.Call
	}
	medians, least := map[question][]float64{}, map[question][]float64{}
	for _, c := range calls {
		if q := (question{c.Label, c.Call}); streams[c.Label] && !c.Call.Returns &&
			slices.Contains(variant.Candidates(), c.Implementation) {
			medians[q], least[q] = append(medians[q], c.MedianUS), append(least[q], c.MinUS)
		}
	}
	near, pairs, tau := 0, 0, 0.0
	for q, us := range medians {
		tau += kendall(us, least[q]) / float64(len(medians))
		for i := range us {
			for j := range i {
				pairs++
				if math.Abs(us[i]/us[j]-1) < 0.05 {
					near++
				}
			}
		}
	}
	want := fmt.Sprintf("near ties: %.0f %% of the pairs lie within 5 %% of each other, and the ranks of the recorded medians agree with those of the least recorded repeats by %.2f only",
		100*float64(near)/float64(pairs), tau)
	gaps, err := kernelGaps()
	if err != nil {
		t.Fatal(err)
	}
	reasons := 0
	for item, g := range gaps {
		if strings.HasPrefix(item, "ranking of") {
			reasons++
			if g.Reason != want {
				t.Errorf("%s: %q, the recordings say %q", item, g.Reason, want)
			}
		}
	}
	if reasons == 0 || pairs < 1000 {
		t.Errorf("%d reasons, %d pairs", reasons, pairs)
	}
}
