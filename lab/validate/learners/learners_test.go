package learners

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
	"github.com/atomtune/atomtune/variant"
)

// tripled is a simulator whose private forms take three times the closed form on
// streams of low warp level.
type tripled struct{}

func (tripled) Simulate(v variant.Variant, d *device.Profile, c device.Call, indices []uint32,
	bins uint64) (float64, error) {
	s, err := collision.Analyze(indices, collision.Options{WarpSize: int(d.Core.WarpLanes.Value),
		Bins: bins, Workers: 1})
	if err != nil {
		return 0, err
	}
	cost, err := speedup.Predict(v, &s, d, c)
	if v.Base == variant.Private && s.WarpLevel < 0.3 {
		return 3 * cost.US, err
	}
	return cost.US, err
}

var smallSweep = model.Sweep{Points: 4 * len(synth.Families()), Seed: 3, MinUpdates: 256,
	MaxUpdates: 2048, MaxBins: 4096}

var smallRows = sync.OnceValues(func() ([]training.Row, error) {
	d, err := device.Builtin("h200")
	if err != nil {
		return nil, err
	}
	return training.Collect(context.Background(), d, smallSweep, tripled{}, training.CollectOptions{})
})

// The names of the learner that learns nothing, and of the slow one.
const (
	closedFormsName = "closed forms"
	golearnName     = "golearn's cart, ratio"
)

// few is a comparison of some learners on the H200's sweep, without its recordings.
func few(most int, families []string, names ...string) comparison {
	o := usual(&device.Profile{})
	o.most, o.families = most, families
	if len(names) > 0 {
		o.learners = learnersNamed(names...)
	}
	return o
}

func compared(t *testing.T, o comparison) []LearnerRow {
	t.Helper()
	rows, err := smallRows()
	if err != nil {
		t.Fatal(err)
	}
	d, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	list, err := o.compare(t.Context(), d, smallSweep, rows)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestCompareLearners: what learns the ratio finds the factor on families held
// out, the closed forms do not, and golearn's trees are as good as ours.
func TestCompareLearners(t *testing.T) {
	list := compared(t, few(600, []string{"uniform", "zipf"}))
	by := map[string]LearnerRow{}
	for _, r := range list {
		by[r.Learner] = r
		if r.Device != "h200" || r.Judge != JudgeFamilies || r.Loss.Points != 8 || r.Samples < 40 {
			t.Errorf("%+v", r)
		}
	}
	if len(by) != len(Learners()) {
		t.Fatalf("%d learners", len(by))
	}
	closed := by[closedFormsName]
	if closed.Error.RMSE < 0.3 {
		t.Errorf("closed forms: %+v, want to miss the factor 3", closed)
	}
	for _, name := range []string{"cart: all features, ratio", "bagged trees, ratio",
		"boosted trees, ratio", golearnName} {
		if r := by[name]; r.Error.RMSE > closed.Error.RMSE/2 ||
			r.Loss.GeometricMean > closed.Loss.GeometricMean {
			t.Errorf("%s: %+v, closed forms %+v", name, r, closed)
		}
	}
	if r := by["tree over the choice"]; r.Error != nil || r.Loss.GeometricMean < 1 {
		t.Errorf("tree over the choice: %+v", r)
	}
}

// TestCompareOnRecordings: the closed forms' losses are those of choosing by the
// prices, and a slow learner sees no more samples than it may.
func TestCompareOnRecordings(t *testing.T) {
	o := few(30, []string{"uniform"}, closedFormsName, golearnName)
	o.recorded = []recordings.Part{recordings.Fit}
	list := compared(t, o)
	if len(list) != 4 || list[1].Samples != 30 || list[3].Samples != 30 || list[2].Judge != JudgeFit {
		t.Fatalf("%+v", list)
	}
	if r := list[2]; r.Loss.Points < 500 || r.Loss.GeometricMean > 1.2 || !(r.Error.RMSE > 0) {
		t.Errorf("closed forms on recordings: %+v", r)
	}
	again := compared(t, few(30, []string{"uniform"}, golearnName))
	if diff := cmp.Diff(list[1:2], again); diff != "" {
		t.Errorf("the same seed gives something else:\n%s", diff)
	}
}

// learnersNamed are those of the names.
func learnersNamed(names ...string) []Learner {
	return slices.DeleteFunc(Learners(), func(l Learner) bool {
		return !slices.Contains(names,
			l.Name)
	})
}

// TestLearnersLeaveFamiliesOut: a learner that judges a family has been given no sample of it,
// and all others.
func TestLearnersLeaveFamiliesOut(t *testing.T) {
	families := []string{"uniform", "zipf"}
	asked := map[string]int{}
	spy := Learner{Name: "spy", Fit: func(_ context.Context, fitted *training.Training,
		_ uint64) (Scores, error) {
		return func(s *training.Sample) []float64 {
			asked[s.Family]++
			if slices.Contains(fitted.Families, s.Family) || len(fitted.Families) < 3 {
				t.Errorf("learned from %v, asked about %s", fitted.Families, s.Family)
			}
			for i := range fitted.Samples {
				if fitted.Samples[i].Family == s.Family {
					t.Errorf("sample %d of %s is learned from", i, s.Family)
				}
			}
			return make([]float64, len(s.Simulated))
		}, nil
	}}
	o := few(600, families)
	o.learners = []Learner{spy}
	compared(t, o)
	for _, f := range families {
		if asked[f] < 4 {
			t.Errorf("%s: asked about %d samples", f, asked[f])
		}
	}
}
