package regtree_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/regtree"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// cheapest returns the least cost of any subtree below node i, and the fewest
// leaves that reach it, by trying both choices at every node.
func cheapest(nodes []regtree.Node, i int, alpha float64) (cost float64, leaves int) {
	n := nodes[i]
	share := n.Leaf.Weight / nodes[0].Leaf.Weight
	cost, leaves = n.Leaf.StdDev*n.Leaf.StdDev*share+alpha, 1
	if n.Feature < 0 {
		return cost, leaves
	}
	l, lLeaves := cheapest(nodes, n.Left, alpha)
	r, rLeaves := cheapest(nodes, n.Right, alpha)
	if l+r < cost-1e-12 {
		return l + r, lLeaves + rLeaves
	}
	return cost, leaves
}

func TestPruneFindsTheCheapestSubtree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree, err := regtree.Fit(anyTable(t), regtree.Options{})
		if err != nil {
			t.Fatal(err)
		}
		alpha := rapid.Float64Range(1e-6, 4).Draw(t, "alpha")
		pruned, err := tree.Prune(alpha)
		if err != nil {
			t.Fatal(err)
		}
		wantCost, wantLeaves := cheapest(tree.Nodes(), 0, alpha)
		step := pruned.PruningPath()[0]
		if cost := step.MSE + alpha*float64(pruned.NumLeaves()); math.Abs(cost-wantCost) > 1e-9 {
			t.Fatalf("alpha %v: cost %v, want %v", alpha, cost, wantCost)
		}
		// At the very alpha at which subtrees cost the same, rounding decides.
		_, below := cheapest(tree.Nodes(), 0, alpha*(1-1e-9))
		_, above := cheapest(tree.Nodes(), 0, alpha*(1+1e-9))
		if below == above && pruned.NumLeaves() != wantLeaves {
			t.Fatalf("alpha %v: %d leaves, want %d", alpha, pruned.NumLeaves(), wantLeaves)
		}
	})
}

func TestPruningPathDescribesItsTrees(t *testing.T) {
	tree := mustFit(t, smooth(300, 3, 2), regtree.Options{})
	path := tree.PruningPath()
	if len(path) < 20 || path[0].Alpha != 0 || path[0].Leaves != 300 || path[len(path)-1].Leaves != 1 {
		t.Fatalf("path of %d steps from %+v to %+v", len(path), path[0], path[len(path)-1])
	}
	for i, s := range path {
		pruned, err := tree.Prune(s.Alpha)
		if err != nil {
			t.Fatal(err)
		}
		have := pruned.PruningPath()[0]
		if have.Leaves != s.Leaves || math.Abs(have.MSE-s.MSE) > 1e-12 {
			t.Errorf("step %d: %+v, pruned tree %+v", i, s, have)
		}
		if i > 0 && (s.Alpha <= path[i-1].Alpha || s.Leaves >= path[i-1].Leaves || s.MSE < path[i-1].MSE) {
			t.Errorf("step %d: %+v after %+v", i, s, path[i-1])
		}
	}
}

func TestPruneLeavesTheTreeAlone(t *testing.T) {
	tree := mustFit(t, smooth(100, 2, 2), regtree.Options{})
	before := tree.Nodes()
	if _, err := tree.Prune(0.1); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree.Nodes()); diff != "" {
		t.Errorf("Prune changed the tree:\n%s", diff)
	}
	for _, alpha := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := tree.Prune(alpha); !errors.Is(err, regtree.ErrOptions) {
			t.Errorf("alpha %v: error %v, want ErrOptions", alpha, err)
		}
	}
}

func TestOptionAlphaPrunes(t *testing.T) {
	data := smooth(200, 2, 4)
	want, err := mustFit(t, data, regtree.Options{}).Prune(0.01)
	if err != nil {
		t.Fatal(err)
	}
	have := mustFit(t, data, regtree.Options{Alpha: 0.01})
	if diff := cmp.Diff(want.Nodes(), have.Nodes()); diff != "" {
		t.Errorf("Alpha in Fit and Prune differ:\n%s", diff)
	}
}

func TestFitPrunedFindsTheSteps(t *testing.T) {
	// Four plateaus under noise: pruning should keep about four leaves, and
	// the tree before pruning hundreds.
	data := smooth(400, 2, 9)
	noise := smooth(400, 2, 10)
	for i, x := range data.X {
		data.Y[i] = math.Floor(x[0]/8)*10 + noise.Y[i]
	}
	tree, report, err := regtree.FitPruned(data, regtree.Options{}, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if tree.NumLeaves() < 4 || tree.NumLeaves() > 8 || report.Path[0].Leaves < 300 {
		t.Errorf("kept %d leaves of %d", tree.NumLeaves(), report.Path[0].Leaves)
	}
	if report.Path[report.Chosen].Leaves != tree.NumLeaves() || len(report.MSE) != len(report.Path) {
		t.Errorf("the report says %+v", report.Path[report.Chosen])
	}
}

// The error that FitPruned estimates for a cost per leaf is the one of trees
// that were fitted without each fold, with that cost as an option.
func TestFitPrunedAgreesWithCrossValidation(t *testing.T) {
	data := smooth(150, 2, 6)
	for i := range data.Y {
		data.Weight = append(data.Weight, float64(1+i%3))
	}
	_, report, err := regtree.FitPruned(data, regtree.Options{}, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	folds, err := regtree.RandomFolds(150, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for i := 0; i+1 < len(report.Path); i += 7 {
		alpha := math.Sqrt(report.Path[i].Alpha) * math.Sqrt(report.Path[i+1].Alpha)
		want := crossValidated(t, data, regtree.Options{Alpha: alpha}, folds)
		if alpha > 0 && math.Abs(want-report.MSE[i]) > 1e-12 {
			t.Errorf("alpha %v: FitPruned %v, cross-validation %v", alpha, report.MSE[i], want)
		}
		checked++
	}
	if checked < 5 {
		t.Errorf("checked %d costs, want at least 5", checked)
	}
}

// crossValidated returns the mean squared error of trees that were fitted
// without each fold, over the rows of that fold.
func crossValidated(t *testing.T, data regtree.Table, o regtree.Options, folds []int) float64 {
	var sum, weight float64
	for held := range slices.Max(folds) + 1 {
		tree := mustFit(t, without(data, folds, held), o)
		for i, f := range folds {
			if f == held {
				off := tree.Predict(data.X[i]) - data.Y[i]
				sum, weight = sum+data.Weight[i]*off*off, weight+data.Weight[i]
			}
		}
	}
	return sum / weight
}

func TestFoldsAreEvenAndSeeded(t *testing.T) {
	a, err := regtree.RandomFolds(103, 10, 5)
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]int, 10)
	for _, f := range a {
		rows[f]++
	}
	if slices.Min(rows) < 10 || slices.Max(rows) > 11 {
		t.Errorf("the folds of 103 rows have %d", rows)
	}
	if again, err := regtree.RandomFolds(103, 10, 5); err != nil || !slices.Equal(a, again) {
		t.Errorf("same seed, error %v, other folds", err)
	}
	if other, err := regtree.RandomFolds(103, 10, 6); err != nil || slices.Equal(a, other) {
		t.Errorf("seeds 5 and 6 deal the same folds, error %v", err)
	}
}

func TestFitPrunedErrors(t *testing.T) {
	data := table([]float64{1, 2, 3}, []float64{1, 2, 3})
	for _, c := range []struct {
		o     regtree.Options
		folds int
		want  error
	}{
		{regtree.Options{Alpha: 1}, 0, regtree.ErrOptions},
		{regtree.Options{}, 4, regtree.ErrFolds},
		{regtree.Options{}, 1, regtree.ErrFolds},
		{regtree.Options{}, -1, regtree.ErrFolds},
	} {
		if _, _, err := regtree.FitPruned(data, c.o, c.folds, 0); !errors.Is(err, c.want) {
			t.Errorf("%+v, %d folds: error %v, want %v", c.o, c.folds, err, c.want)
		}
	}
}
