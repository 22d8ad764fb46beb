package decisions

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/results"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// scaled is a simulator of a device on which the closed forms are right, but for private copies, which take
// three times as long.
type scaled struct{}

func (scaled) Simulate(v impl.Spec, d *device.Profile, c device.Call, indices []uint32, bins uint64) (float64, error) {
	s, err := collision.Analyze(indices, collision.Options{Bins: bins, WarpSize: int(d.Core.WarpLanes.Value)})
	if err != nil {
		return 0, err
	}
	cost, err := speedup.Predict(v, &s, d, c)
	if v.Site() == impl.PerBlock {
		cost.US *= 3
	}
	return cost.US, err
}

// trained is the model of a device by that simulator.
var trained = sync.OnceValues(func() (*model.Model, error) {
	d, err := device.Builtin("h200")
	if err != nil {
		return nil, err
	}
	sweep := model.Sweep{Points: 5 * len(synth.Families()), Seed: 7, MaxUpdates: 1 << 12, MaxBins: 1 << 12}
	rows, err := training.Collect(context.Background(), d, sweep, scaled{}, training.CollectOptions{})
	if err != nil {
		return nil, err
	}
	return training.Fit(context.Background(), d, sweep, rows)
})

// kept is the report of results.json.
func kept(t *testing.T) (r Report) {
	t.Helper()
	if err := results.Read("results.json", &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestDecisions holds results.json to what the embedded models decide; what is simulated is taken from the
// file. ATOMTUNE_UPDATE_GOLDEN=1 simulates and writes it.
func TestDecisions(t *testing.T) {
	golden.OnlyFull(t)
	j := judge{streams: drawn, model: model.Embedded}
	if golden.Update() {
		j.simulate = simulated
	}
	made, err := j.devices(t.Context(), device.Names())
	if err != nil {
		t.Fatal(err)
	}
	if !golden.Update() {
		for i, d := range kept(t) {
			made[i].Choices.Right, made[i].Choices.Ratio = d.Choices.Right, d.Choices.Ratio
			made[i].Classes.Right, made[i].Classes.Ratio = d.Classes.Right, d.Classes.Ratio
		}
	}
	text, err := results.Encode(made)
	if err != nil {
		t.Fatal(err)
	}
	golden.Text(t, "results.json", text)
}

// TestSimulated simulates again for the device of which the fewest choices differ.
func TestSimulated(t *testing.T) {
	golden.OnlyFull(t)
	all := slices.DeleteFunc(kept(t), func(d Device) bool { return d.Choices.Streams == 0 })
	fewest := slices.MinFunc(all, func(a, b Device) int { return a.Choices.Streams - b.Choices.Streams })
	made, err := Judge(t.Context(), []string{fewest.Name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff, err := results.Diff(Report{fewest}, made); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// TestJudge: where the simulator is the one that a tree was trained by, the tree is right wherever it
// differs; one that corrects nothing never differs. Recorded calls are judged of measured devices alone.
func TestJudge(t *testing.T) {
	of := func(name string) (*model.Model, error) {
		if name == "h200" {
			return trained()
		}
		d, err := device.Builtin(name)
		m := model.New()
		m.Device, m.ProfileHash, m.ClosedForms = name, model.ProfileHash(d), model.ClosedFormsHash(d)
		return m, err
	}
	calls := 0
	made, err := judge{24, of, scaled{}.Simulate, func(done, total int) { calls++ }}.devices(t.Context(),
		[]string{"h200", "mi300x"})
	if err != nil {
		t.Fatal(err)
	}
	tree, none := made[0], made[1]
	if c := tree.Choices; c.Streams < 3 || c.Right != c.Streams || c.Ratio >= 1 || calls != 2*24 ||
		tree.Classes.Streams > c.Streams || tree.Named == 0 || tree.Leaves < 2 {
		t.Errorf("of the tree: %+v, %d of %d leaves named, %d simulated", c, tree.Named, tree.Leaves, calls)
	}
	gains := 0
	for i, closed := range tree.Evaluation.ClosedForms {
		if own := tree.Evaluation.Families[i]; own.Family == closed.Family && own.GeometricMean < closed.GeometricMean {
			gains++
		}
	}
	if gains < 3 || len(tree.Evaluation.ClosedForms) != len(tree.Evaluation.Families) {
		t.Errorf("losses by family: %+v", tree.Evaluation)
	}
	if none.Choices != (Differing{Ratio: 1}) || len(none.Recorded) > 0 || len(none.Implementations) > 0 {
		t.Errorf("without corrections: %+v", none)
	}
	for _, d := range made {
		sum := 0
		for _, n := range d.Reached {
			sum += n
		}
		if sum != 24 {
			t.Errorf("%s: %d choices", d.Name, sum)
		}
	}
	if len(tree.Recorded) != 4 || tree.Recorded[1].Tree.GeometricMean <= tree.Recorded[1].ClosedForm.GeometricMean {
		t.Errorf("recorded calls, of which the simulator is not a judge: %+v", tree.Recorded)
	}
	off := slices.IndexFunc(tree.Implementations, func(f Implementation) bool { return f.Implementation == "private" })
	if off < 0 || tree.Implementations[off].Corrected < 2*tree.Implementations[off].Closed {
		t.Errorf("forms: %+v", tree.Implementations)
	}
	if page := string(made.Document()); strings.Count(page, "mi300x") != strings.Count(string(made[1:].Document()), "mi300x") ||
		!strings.Contains(page, "`private`") {
		t.Error(page)
	}
}

// TestDiffering: what takes as long is not right.
func TestDiffering(t *testing.T) {
	if d := differing([]float64{0.5, 2, 1}); d.Streams != 3 || d.Right != 1 || math.Abs(d.Ratio-1) > 1e-12 {
		t.Errorf("%+v", d)
	}
}

// TestKeeps: each limit alone decides.
func TestKeeps(t *testing.T) {
	closed := model.Loss{GeometricMean: 1.02, P90: 1.05, Max: 2}
	for at, loss := range []model.Loss{{GeometricMean: 1.0219, P90: 1.0549, Max: 2.19},
		{GeometricMean: 1.0221, P90: 1.05, Max: 2}, {GeometricMean: 1.02, P90: 1.0551, Max: 2},
		{GeometricMean: 1.02, P90: 1.05, Max: 2.21}} {
		if keeps(loss, closed) != (at == 0) {
			t.Errorf("%+v", loss)
		}
	}
}

// TestNamesClass: a leaf names a class by nineteen of twenty streams.
func TestNamesClass(t *testing.T) {
	for streams, want := range map[[3]int]bool{{19, 1, 0}: true, {0, 1, 19}: true, {18, 2, 0}: false, {1, 0, 0}: true} {
		if namesClass(&model.Leaf{Streams: streams}) != want {
			t.Errorf("%v", streams)
		}
	}
}
