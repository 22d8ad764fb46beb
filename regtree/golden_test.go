package regtree_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/splitmix"
	"github.com/atomtune/atomtune/regtree"
)

// drawTable draws rows with columns of few values and of many, and targets that steps and noise make.
func drawTable(rows, features int, seed uint64) table {
	rng := splitmix.New(seed)
	t := table{}
	for range rows {
		x, y := make([]float64, features), 0.0
		for f := range x {
			x[f] = float64(rng.Below(1<<(1+3*uint64(f)))) / 4
			if x[f] > float64(f) {
				y += float64(1 + f)
			}
		}
		t.X, t.Y = append(t.X, x), append(t.Y, y+0.5*rng.Float64())
	}
	return t
}

// TestGrown: trees of tables of all sizes and options, what they predict, and their joint forms are what
// testdata/grown.txt holds.
func TestGrown(t *testing.T) {
	var lines []string
	for i, o := range []regtree.Options{{MaxLeaves: 600}, {MaxLeaves: 1}, {MaxLeaves: 2}, {MaxLeaves: 9},
		{MaxLeaves: 20, MinLeaf: 7}, {MaxLeaves: 600, MinLeaf: 40}} {
		var sum golden.Digest
		for k, rows := range []int{1, 2, 17, 150, 600} {
			table := drawTable(rows, 1+k, uint64(10*i+k))
			sum.JSON(t, mustFit(t, table, o))
			second := slices.Clone(table.Y)
			slices.Reverse(second)
			joint, err := regtree.Sort(table.X, table.Y, second).Fit(func(row int) bool { return row%5 != 1 }, o)
			if err != nil {
				t.Fatal(err)
			}
			sum.JSON(t, joint)
			for _, x := range table.X[:min(9, len(table.X))] {
				sum.Add(float64(joint.Find(x)))
			}
		}
		lines = append(lines, fmt.Sprintf("%+v: %s", o, &sum))
	}
	golden.Compare(t, "testdata/grown.txt", lines)
}
