package regtree_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/regtree"
	"pgregory.net/rapid"
)

func TestTableFaultsAreNamed(t *testing.T) {
	good := regtree.Table{
		Features: []string{"a", "b"},
		X:        [][]float64{{1, 2}, {3, 4}, {5, 6}},
		Y:        []float64{1, 2, 3},
	}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	largest := clone(good)
	largest.Y[0], largest.Y[1] = 1e100, -1e100
	if err := largest.Validate(); err != nil {
		t.Error(err)
	}
	cases := []struct {
		name  string
		spoil func(*regtree.Table)
		want  error
		place string
	}{
		{"no rows", func(t *regtree.Table) { t.X = nil }, regtree.ErrEmpty, "rows"},
		{"no features", func(t *regtree.Table) { t.Features = nil }, regtree.ErrEmpty, "features"},
		{"nameless", func(t *regtree.Table) { t.Features[1] = "" }, regtree.ErrFeature, "column 1"},
		{"not UTF-8", func(t *regtree.Table) { t.Features[1] = "\xff" }, regtree.ErrFeature, "column 1"},
		{"repeated", func(t *regtree.Table) { t.Features[1] = "a" }, regtree.ErrFeature,
			"columns 0 and 1"},
		{"ragged", func(t *regtree.Table) { t.X[2] = t.X[2][:1] }, regtree.ErrShape, "row 2"},
		{"short Y", func(t *regtree.Table) { t.Y = t.Y[:2] }, regtree.ErrShape, "targets"},
		{"NaN in X", func(t *regtree.Table) { t.X[1][1] = math.NaN() }, regtree.ErrNotFinite,
			"row 1, column 1 (b)"},
		{"Inf in X", func(t *regtree.Table) { t.X[0][1] = math.Inf(-1) }, regtree.ErrNotFinite,
			"row 0, column 1 (b)"},
		{"NaN in Y", func(t *regtree.Table) { t.Y[2] = math.NaN() }, regtree.ErrNotFinite,
			"row 2, target"},
		{"huge Y", func(t *regtree.Table) { t.Y[2] = -1e300 }, regtree.ErrRange, "row 2, target"},
		{"Y too large", func(t *regtree.Table) { t.Y[2] = math.Nextafter(1e100, 2e100) }, regtree.ErrRange,
			"row 2, target"},
	}
	for _, c := range cases {
		bad := clone(good)
		c.spoil(&bad)
		_, err := regtree.Fit(bad, regtree.Options{})
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.place) {
			t.Errorf("%s: error %v, want %v at %q", c.name, err, c.want, c.place)
		}
	}
}

// TestRefused: what cannot be fitted, pruned, rescaled or read, and what there is no room for.
func TestRefused(t *testing.T) {
	data := smooth(10, 2, 1)
	sorted, err := regtree.Sort(data)
	if err != nil {
		t.Fatal(err)
	}
	tree := mustFit(t, data, regtree.Options{})
	before := tree.Nodes()
	all := func(int) bool { return true }
	one, other := clone(data), clone(data)
	one.X, one.Y = one.X[:1], one.Y[:1]
	other.Features = names(3)
	for i := range other.X {
		other.X[i] = append(other.X[i], 0)
	}
	with := func(targets ...[]float64) error { _, err := sorted.With(targets...); return err }
	fit := func(of func(int) bool, o regtree.Options) error { _, err := sorted.Fit(of, o); return err }
	rescale := func(factor float64, data regtree.Table) error { _, err := tree.Rescale(factor, data); return err }
	prune := func(alpha float64) error { _, err := tree.Prune(alpha); return err }
	_, errSort := regtree.Sort(regtree.Table{})
	_, errZero := new(regtree.Tree).MarshalJSON()
	for name, c := range map[string]struct{ got, want error }{
		"depth -1":                {fit(all, regtree.Options{MaxDepth: -1}), regtree.ErrOptions},
		"leaves -1":               {fit(all, regtree.Options{MaxLeaves: -1}), regtree.ErrOptions},
		"MinLeaf -1":              {fit(all, regtree.Options{MinLeaf: -1}), regtree.ErrOptions},
		"no rows":                 {fit(func(int) bool { return false }, regtree.Options{}), regtree.ErrEmpty},
		"an empty table":          {errSort, regtree.ErrEmpty},
		"no targets":              {with(), regtree.ErrEmpty},
		"9 targets of 10":         {with(data.Y, data.Y[1:]), regtree.ErrShape},
		"a target without end":    {with(data.Y, []float64{9: math.Inf(1)}), regtree.ErrNotFinite},
		"a target of 1e200":       {with([]float64{9: 1e200}), regtree.ErrRange},
		"factor -0.1":             {rescale(-0.1, data), regtree.ErrOptions},
		"factor 1.1":              {rescale(1.1, data), regtree.ErrOptions},
		"factor NaN":              {rescale(math.NaN(), data), regtree.ErrOptions},
		"rescaled by one row":     {rescale(1, one), regtree.ErrEmpty},
		"rescaled by other names": {rescale(1, other), regtree.ErrFeature},
		"alpha -1":                {prune(-1), regtree.ErrOptions},
		"alpha NaN":               {prune(math.NaN()), regtree.ErrOptions},
		"alpha infinite":          {prune(math.Inf(1)), regtree.ErrOptions},
		"no tree in JSON":         {tree.UnmarshalJSON([]byte(`{}`)), regtree.ErrVersion},
		"a tree of nothing":       {errZero, regtree.ErrTree},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: error %v, want %v", name, c.got, c.want)
		}
	}
	if !slices.Equal(before, tree.Nodes()) {
		t.Error("the tree has changed")
	}
	defer func() {
		if recover() == nil {
			t.Error("ten rows were predicted into one place")
		}
	}()
	tree.PredictAll(data.X, make([]float64, 1))
}

// cheapest returns the least cost of any subtree below node i, and the fewest
// leaves that reach it, by trying both choices at every node.
func cheapest(nodes []regtree.Node, i int, alpha float64) (cost float64, leaves int) {
	n := nodes[i]
	share := float64(n.Leaf.Count) / float64(nodes[0].Leaf.Count)
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
		before, alpha := tree.Nodes(), rapid.Float64Range(1e-6, 4).Draw(t, "alpha")
		pruned, err := tree.Prune(alpha)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(before, tree.Nodes()) {
			t.Fatal("Prune changed the tree")
		}
		wantCost, wantLeaves := cheapest(before, 0, alpha)
		if cost := trainingError(pruned) +
			alpha*float64(pruned.NumLeaves()); math.Abs(cost-wantCost) > 1e-9 {
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

// trainingError is the mean squared error over the training rows.
func trainingError(tree *regtree.Tree) float64 {
	cost, _ := cheapest(tree.Nodes(), 0, 0)
	return cost
}

// TestAlphasDescribeTheirTrees: at each alpha the tree has fewer leaves than at the
// one before, and fits its rows no better.
func TestAlphasDescribeTheirTrees(t *testing.T) {
	tree := mustFit(t, smooth(300, 3, 2), regtree.Options{})
	alphas := tree.Alphas()
	slices.Sort(alphas)
	alphas = slices.Compact(alphas)
	if len(alphas) < 20 || alphas[0] != 0 {
		t.Fatalf("%d alphas from %v", len(alphas), alphas[0])
	}
	leaves, mse := 301, 0.0
	for i, alpha := range alphas {
		pruned, err := tree.Prune(alpha)
		if err != nil {
			t.Fatal(err)
		}
		have := trainingError(pruned)
		if pruned.NumLeaves() >= leaves || have < mse-1e-12 {
			t.Errorf("alpha %d: %d leaves with error %v after %d with %v", i, pruned.NumLeaves(), have,
				leaves, mse)
		}
		if i > 0 && math.Abs(have-mse-alpha*float64(leaves-pruned.NumLeaves())) > 1e-9 {
			t.Errorf("alpha %d: %v a leaf, the trees differ by %v", i, alpha,
				(have-mse)/float64(leaves-pruned.NumLeaves()))
		}
		leaves, mse = pruned.NumLeaves(), have
	}
	if leaves != 1 {
		t.Errorf("%d leaves at the greatest alpha", leaves)
	}
}
