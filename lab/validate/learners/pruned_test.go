package learners

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/regtree"
)

// smooth returns rows of uniform features and a curved target with noise, as
// speedups over collision levels have.
func smooth(rows, features int, seed uint64) regtree.Table {
	r := rand.New(rand.NewPCG(seed, 0))
	t := regtree.Table{}
	for j := range features {
		t.Features = append(t.Features, string(rune('a'+j)))
	}
	for range rows {
		x := make([]float64, features)
		for j := range x {
			x[j] = r.Float64() * 32
		}
		y := math.Sqrt(x[0]) + math.Sin(x[features-1]/4) + 0.1*r.NormFloat64()
		t.X = append(t.X, x)
		t.Y = append(t.Y, y)
	}
	return t
}

// The error that FitPruned estimates for a cost per leaf is the one of trees
// that were fitted without each fold, and pruned at that cost.
func TestFitPrunedAgreesWithCrossValidation(t *testing.T) {
	data := smooth(150, 2, 6)
	_, report, err := fitPruned(data, regtree.Options{}, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	folds := randomFolds(150, 5, 3)
	checked := 0
	for i := 0; i+1 < len(report.alphas); i += 7 {
		alpha := math.Sqrt(report.alphas[i]) * math.Sqrt(report.alphas[i+1])
		want := crossValidated(t, data, alpha, folds)
		if alpha > 0 && math.Abs(want-report.mse[i]) > 1e-12 {
			t.Errorf("alpha %v: FitPruned %v, cross-validation %v", alpha, report.mse[i], want)
		}
		checked++
	}
	if checked < 5 {
		t.Errorf("checked %d costs, want at least 5", checked)
	}
}

// crossValidated returns the mean squared error of trees that were fitted
// without each fold, over the rows of that fold.
func crossValidated(t *testing.T, data regtree.Table, alpha float64, folds []int) float64 {
	sorted, err := regtree.Sort(data)
	if err != nil {
		t.Fatal(err)
	}
	var sum, weight float64
	for held := range slices.Max(folds) + 1 {
		full, err := sorted.Fit(func(row int) bool { return folds[row] != held }, regtree.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tree, err := full.Prune(alpha)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range folds {
			if f == held {
				off := tree.Predict(data.X[i]) - data.Y[i]
				sum, weight = sum+off*off, weight+1
			}
		}
	}
	return sum / weight
}

func TestFoldsAreEvenAndSeeded(t *testing.T) {
	a := randomFolds(103, 10, 5)
	rows := make([]int, 10)
	for _, f := range a {
		rows[f]++
	}
	if slices.Min(rows) < 10 || slices.Max(rows) > 11 {
		t.Errorf("the folds of 103 rows have %d", rows)
	}
	if !slices.Equal(a, randomFolds(103, 10, 5)) {
		t.Error("same seed, other folds")
	}
	if slices.Equal(a, randomFolds(103, 10, 6)) {
		t.Error("seeds 5 and 6 give the same folds")
	}
}

// TestConstant: where every row has one value, every learner predicts it; boosting, which goes
// a tenth of the way in each of its rounds, all but 0.9 to their number of it.
func TestConstant(t *testing.T) {
	const value = 3
	table := regtree.Table{Features: []string{"a", "b"}}
	for i := range 60 {
		table.X = append(table.X, []float64{float64(i % 7), float64(i % 11)})
		table.Y = append(table.Y, value)
	}
	for name, c := range map[string]struct {
		fit  func(regtree.Table, uint64) (predictor, error)
		want float64
	}{
		"pruned": {prunedTree, value}, "golearn": {golearn, value}, "linear": {linear, value},
		"nearest": {nearest, value}, "bagged": {bagged, value},
		"boosted": {boosted, value * (1 - math.Pow(1-boostRate, boostRounds))},
	} {
		predict, err := c.fit(table, 1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, x := range [][]float64{{0, 0}, {3, 5}, {6, 10}} {
			if got := predict(x); math.Abs(got-c.want) > 1e-6 {
				t.Errorf("%s at %v: %v, want %v", name, x, got, c.want)
			}
		}
	}
}
