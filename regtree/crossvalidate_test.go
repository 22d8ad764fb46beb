package regtree_test

import (
	"errors"
	"math"
	"testing"

	"github.com/atomtune/atomtune/regtree"
	"github.com/google/go-cmp/cmp"
)

// without copies the rows of t that are not of the given fold.
func without(t regtree.Table, fold []int, held int) regtree.Table {
	kept := regtree.Table{Features: t.Features}
	for i := range t.X {
		if fold[i] != held {
			kept.X = append(kept.X, t.X[i])
			kept.Y = append(kept.Y, t.Y[i])
		}
	}
	return kept
}

func TestCrossValidationPredictsUnseenRows(t *testing.T) {
	data := smooth(60, 2, 11)
	for i := range data.X {
		data.Group = append(data.Group, []string{"p", "q", "r"}[i%3])
	}
	o := regtree.Options{MaxDepth: 3}
	random, err := regtree.CrossValidate(data, o, 7, 42)
	if err != nil {
		t.Fatal(err)
	}
	single, err := regtree.LeaveOneOut(data, o)
	if err != nil {
		t.Fatal(err)
	}
	grouped, err := regtree.LeaveOneGroupOut(data, o)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]regtree.Validation{"random": random, "single": single, "grouped": grouped} {
		for i, x := range data.X {
			want := mustFit(t, without(data, v.Fold, v.Fold[i]), o).Predict(x)
			if math.Abs(v.Predictions[i]-want) > 1e-12 {
				t.Errorf("%s: row %d predicted %v, by a tree without its fold %v", name, i, v.Predictions[i], want)
			}
		}
	}
	if len(random.Folds) != 7 || random.Seed != 42 || len(single.Folds) != 60 {
		t.Errorf("%d random folds of seed %d, %d single ones", len(random.Folds), random.Seed, len(single.Folds))
	}
	if grouped.Folds[0].Name != "p" || grouped.Folds[0].Rows != 20 {
		t.Errorf("first group is %+v", grouped.Folds[0])
	}
}

func TestFoldsAreEvenAndSeeded(t *testing.T) {
	data := smooth(103, 1, 1)
	a, err := regtree.CrossValidate(data, regtree.Options{}, 10, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Folds {
		if f.Rows < 10 || f.Rows > 11 {
			t.Errorf("fold %s has %d rows of 103", f.Name, f.Rows)
		}
	}
	again, err := regtree.CrossValidate(data, regtree.Options{}, 10, 5)
	if diff := cmp.Diff(a, again); err != nil || diff != "" {
		t.Errorf("same seed, error %v, difference:\n%s", err, diff)
	}
	other, err := regtree.CrossValidate(data, regtree.Options{}, 10, 6)
	if err != nil || cmp.Equal(a.Fold, other.Fold) {
		t.Errorf("seeds 5 and 6 deal the same folds, error %v", err)
	}
}

func TestScoreByHand(t *testing.T) {
	// Leaving one row out of two predicts each by the other.
	data := table([]float64{1, 2}, []float64{1, 4})
	v, err := regtree.LeaveOneOut(data, regtree.Options{})
	want := regtree.Score{MSE: 9, MAE: 3, R2: 1 - 9/2.25}
	if diff := cmp.Diff(want, v.Score); err != nil || diff != "" {
		t.Errorf("error %v, score (-want +have):\n%s", err, diff)
	}
	data.Weight = []float64{1, 3}
	v, err = regtree.LeaveOneOut(data, regtree.Options{})
	want = regtree.Score{MSE: 9, MAE: 3, R2: 1 - 9/1.6875}
	if diff := cmp.Diff(want, v.Score); err != nil || diff != "" {
		t.Errorf("weighted: error %v, score (-want +have):\n%s", err, diff)
	}
	if !math.IsNaN(v.Folds[0].R2) {
		t.Errorf("R2 of one row is %v, want NaN", v.Folds[0].R2)
	}
}

func TestFoldErrors(t *testing.T) {
	data := table([]float64{1, 2, 3}, []float64{1, 2, 3})
	for _, k := range []int{-1, 0, 1, 4} {
		if _, err := regtree.CrossValidate(data, regtree.Options{}, k, 0); !errors.Is(err, regtree.ErrFolds) {
			t.Errorf("k=%d: error %v, want ErrFolds", k, err)
		}
	}
	if _, err := regtree.LeaveOneGroupOut(data, regtree.Options{}); !errors.Is(err, regtree.ErrFolds) {
		t.Errorf("no groups: error %v, want ErrFolds", err)
	}
	data.Group = []string{"a", "a", "a"}
	if _, err := regtree.LeaveOneGroupOut(data, regtree.Options{}); !errors.Is(err, regtree.ErrFolds) {
		t.Errorf("one group: error %v, want ErrFolds", err)
	}
	single := table([]float64{1}, []float64{1})
	if _, err := regtree.LeaveOneOut(single, regtree.Options{}); !errors.Is(err, regtree.ErrFolds) {
		t.Errorf("one row: error %v, want ErrFolds", err)
	}
	single.Y[0] = math.NaN()
	if _, err := regtree.LeaveOneOut(single, regtree.Options{}); !errors.Is(err, regtree.ErrNotFinite) {
		t.Errorf("NaN: error %v, want ErrNotFinite", err)
	}
}
