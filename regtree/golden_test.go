package regtree_test

import (
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

// TestGrown: trees of tables of all sizes and options, what they predict, and their joint forms are what
// testdata/grown.txt holds.
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
	golden.Compare(t, "testdata/grown.txt", lines)
}

// addTree adds a tree and what it predicts.
func addTree(t *testing.T, sum *golden.Digest, tree *regtree.Tree, table regtree.Table) {
	t.Helper()
	out := make([]float64, len(table.X))
	tree.PredictAll(table.X, out)
	sum.JSON(t, []any{tree.Nodes(), tree.Features()})
	sum.Add(out...)
	sum.Add(float64(tree.NumLeaves()), float64(tree.NumNodes()))
	for row, x := range table.X[:min(9, len(table.X))] {
		sum.Add(tree.Predict(x), float64(tree.Find(x)))
		sum.JSON(t, []any{row, tree.Leaf(x), tree.At(tree.Find(x))})
	}
}
