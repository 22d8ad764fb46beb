package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// TestFormOf: a call is of the implementation that its implementation and its kind say.
func TestFormOf(t *testing.T) {
	for _, c := range []struct {
		implementation string
		returns        bool
		named          string // empty: none
	}{
		{"naive", true, ""}, {"ss", true, ""}, {"match", false, ""}, {"private:r=4,pad=1+sr", false, ""},
		{"match", true, "old values after a warp reduction"},
		{"sr+ss", true, "old values after a warp reduction"},
		{"private", true, "old values from shared memory"},
		{"hot:s=64+match", true, "old values from shared memory"},
		{"hot:s=64,r=2,sample=2048+sr", false, "hot targets found in a sample"},
		{"hot:s=64,r=2+sr", false, "hot targets after a warp reduction"},
		{"hot:s=64,r=2", false, "hot targets"},
		{"private:r=1,ranges=2+sr", false, "ranges of targets"},
		{"partition:w=4096", false, "partition"},
	} {
		v, err := impl.Parse(c.implementation)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		call := recordings.Call{Implementation: v, Call: device.Call{Returns: c.returns}}
		if i := formOf(call); i >= 0 {
			got = forms[i].name
		}
		if got != c.named {
			t.Errorf("%s, returns %v: form %q, want %q", c.implementation, c.returns, got, c.named)
		}
	}
}

// TestPlannedForms: a plan takes as many calls of each implementation as it says, the same ones whatever else
// is recorded, those of a stream side by side, and none of long streams.
func TestPlannedForms(t *testing.T) {
	g, err := recordedSet()
	if err != nil {
		t.Fatal(err)
	}
	if some := g.plannedImplementations(KernelPlan{}); len(some) != 0 {
		t.Errorf("%d calls of forms without a number", len(some))
	}
	few, more := g.plannedImplementations(KernelPlan{PerForm: 3}), g.plannedImplementations(KernelPlan{PerForm: 4})
	recordedForms := 0
	for _, calls := range g.forms {
		if len(calls) > 0 {
			recordedForms++
		}
		for _, c := range calls {
			if c.updates > formUpdates || c.measuredUS <= 0 {
				t.Errorf("%+v", c)
			}
		}
	}
	if recordedForms < 6 || len(few) != 3*recordedForms || len(more) != 4*recordedForms {
		t.Errorf("%d and %d calls of %d forms", len(few), len(more), recordedForms)
	}
	for _, c := range few {
		if !slices.Contains(more, c) {
			t.Errorf("%s is of 3 calls of its form, and not of 4", c.CallKey)
		}
	}
	if !slices.IsSortedFunc(more, func(a, b plannedCall) int { return strings.Compare(a.Label, b.Label) }) {
		t.Error("the calls of a stream do not stand side by side")
	}
}

// TestByHash: the order of calls is that of their hashes, which others do not change.
func TestByHash(t *testing.T) {
	var calls []plannedCall
	for i := range 40 {
		calls = append(calls, plannedCall{CallKey: recorded.CallKey{Label: fmt.Sprint("stream ", i)}})
	}
	half := slices.Clone(calls[:20])
	byHash(half)
	order := slices.Clone(calls)
	byHash(order)
	if slices.Equal(order, calls) {
		t.Error("the order is that of the labels")
	}
	left := slices.DeleteFunc(slices.Clone(order), func(c plannedCall) bool {
		return !slices.Contains(half, c)
	})
	if !slices.Equal(left, half) {
		t.Errorf("more calls move the others: %v, want %v", left, half)
	}
}

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
// measured ones and -1 where they have the reverse; groups of two are not a ranking.
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
