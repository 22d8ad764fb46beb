package regtree_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/regtree"
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

// TestRefused: what cannot be fitted, and what there is no room for.
func TestRefused(t *testing.T) {
	data := smooth(10, 2, 1)
	sorted, err := regtree.Sort(data)
	if err != nil {
		t.Fatal(err)
	}
	tree := mustFit(t, data, regtree.Options{})
	before := tree.Nodes()
	all := func(int) bool { return true }
	with := func(targets ...[]float64) error { _, err := sorted.With(targets...); return err }
	fit := func(of func(int) bool, o regtree.Options) error { _, err := sorted.Fit(of, o); return err }
	_, errSort := regtree.Sort(regtree.Table{})
	for name, c := range map[string]struct{ got, want error }{
		"depth -1":             {fit(all, regtree.Options{MaxDepth: -1}), regtree.ErrOptions},
		"leaves -1":            {fit(all, regtree.Options{MaxLeaves: -1}), regtree.ErrOptions},
		"MinLeaf -1":           {fit(all, regtree.Options{MinLeaf: -1}), regtree.ErrOptions},
		"no rows":              {fit(func(int) bool { return false }, regtree.Options{}), regtree.ErrEmpty},
		"an empty table":       {errSort, regtree.ErrEmpty},
		"no targets":           {with(), regtree.ErrEmpty},
		"9 targets of 10":      {with(data.Y, data.Y[1:]), regtree.ErrShape},
		"a target without end": {with(data.Y, []float64{9: math.Inf(1)}), regtree.ErrNotFinite},
		"a target of 1e200":    {with([]float64{9: 1e200}), regtree.ErrRange},
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

func TestNewRefuses(t *testing.T) {
	leaf := regtree.Leaf{Value: 1, Count: 1, Min: 1, Max: 1}
	split, end := regtree.Node{Threshold: 1}, regtree.Node{Feature: -1, Leaf: leaf}
	if _, err := regtree.New([]string{"a"}, []regtree.Node{split, end, end}); err != nil {
		t.Fatal(err)
	}
	nan, nanLeaf := split, end
	nan.Threshold, nanLeaf.Leaf.Value = math.NaN(), math.NaN()
	noRows := end
	noRows.Leaf.Count = 0
	for want, list := range map[error][][]regtree.Node{
		regtree.ErrTree: {nil, {split, end}, {end, split}, {end, end}, {split, end, end, end},
			{{Feature: 1}, end, end}},
		regtree.ErrNotFinite: {{nan, end, end}, {nanLeaf}},
		regtree.ErrRange:     {{noRows}},
	} {
		for _, nodes := range list {
			if _, err := regtree.New([]string{"a"}, nodes); !errors.Is(err, want) {
				t.Errorf("%+v: error %v, want %v", nodes, err, want)
			}
		}
	}
}

// trainingError is the mean squared error over the training rows.
func trainingError(tree *regtree.Tree) (mse float64) {
	nodes := tree.Nodes()
	for _, n := range nodes {
		if n.Feature < 0 {
			mse += n.Leaf.StdDev * n.Leaf.StdDev * float64(n.Leaf.Count) / float64(nodes[0].Leaf.Count)
		}
	}
	return mse
}
