package regtree_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/splitmix"
	"github.com/atomtune/atomtune/regtree"
)

// drawTable draws rows with columns of few values and of many, and targets that steps and noise make.
func drawTable(rows, features int, seed uint64) regtree.Table {
	rng := splitmix.New(seed)
	t := regtree.Table{Features: names(features)}
	for range rows {
		x, y := make([]float64, features), 0.0
		for f := range x {
			x[f] = float64(rng.Below(1<<(1+3*uint64(f)))) / 4
			if x[f] > float64(f) {
				y += float64(1 + f)
			}
		}
		t.X, t.Y = append(t.X, x), append(t.Y, y+float64(0.5*rng.Float64()))
	}
	return t
}

// TestGrown: trees of tables of all sizes and options, what they predict, their pruned and joint forms, and
// what is said to altered ones are what testdata/grown.txt holds.
func TestGrown(t *testing.T) {
	var lines []string
	for i, o := range []regtree.Options{{}, {MaxDepth: 1}, {MaxDepth: 4, MinLeaf: 3}, {MaxLeaves: 1}, {MaxLeaves: 2},
		{MaxLeaves: 9}, {MaxLeaves: 20, MinLeaf: 7, MaxDepth: 5}, {MinLeaf: 40}} {
		var sum golden.Digest
		for k, rows := range []int{1, 2, 17, 150, 600} {
			table := drawTable(rows, 1+k, uint64(10*i+k))
			tree, err := regtree.Fit(table, o)
			if err != nil {
				t.Fatal(err)
			}
			addTree(t, &sum, tree, table)
			sorted, err := regtree.Sort(table)
			if err != nil {
				t.Fatal(err)
			}
			second := make([]float64, rows)
			for row := range second {
				second[row] = table.Y[rows-1-row]
			}
			both, err := sorted.With(table.Y, second)
			if err != nil {
				t.Fatal(err)
			}
			joint, err := both.FitJointly(func(row int) bool { return row%5 != 1 }, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, tree := range joint {
				addTree(t, &sum, tree, table)
			}
		}
		lines = append(lines, fmt.Sprintf("%+v: %s", o, &sum))
	}
	tree, err := regtree.Fit(drawTable(40, 3, 1), regtree.Options{MaxLeaves: 5})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	lines = append(lines, "altered: "+golden.Altered(text, 2000, func(altered []byte) error {
		_, err := regtree.Parse(altered)
		return sentinel(err)
	}).String())
	golden.Compare(t, "testdata/grown.txt", lines)
}

// addTree adds a tree, what it predicts, and its pruned and rescaled forms.
func addTree(t *testing.T, sum *golden.Digest, tree *regtree.Tree, table regtree.Table) {
	t.Helper()
	out := make([]float64, len(table.X))
	tree.PredictAll(table.X, out)
	sum.JSON(t, []any{tree, tree.Features(), tree.Alphas()})
	sum.Add(out...)
	sum.Add(float64(tree.NumLeaves()), float64(tree.NumNodes()))
	for row, x := range table.X[:min(9, len(table.X))] {
		sum.Add(tree.Predict(x), float64(tree.Find(x)))
		sum.JSON(t, []any{row, tree.Leaf(x), tree.At(tree.Find(x))})
	}
	alphas := tree.Alphas()
	for i := 0; i < len(alphas); i += 1 + len(alphas)/5 {
		pruned, err := tree.Prune(alphas[i])
		if err != nil {
			t.Fatal(err)
		}
		sum.JSON(t, pruned)
	}
	scaled, err := tree.Rescale(0.5, table)
	if err != nil {
		sum.Text(fmt.Sprint(sentinel(err)))
		return
	}
	sum.JSON(t, scaled)
}
