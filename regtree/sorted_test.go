package regtree_test

import (
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

// TestSortedFitsParts: a fit on part of a sorted table is the fit on a table of
// that part.
func TestSortedFitsParts(t *testing.T) {
	data := smooth(300, 4, 5)
	fold := make([]int, len(data.X))
	for i := range fold {
		fold[i] = i % 4
	}
	sorted, err := regtree.Sort(data)
	if err != nil {
		t.Fatal(err)
	}
	o := regtree.Options{MaxDepth: 5, MinLeaf: 3}
	for held := range 4 {
		tree, err := sorted.Fit(func(row int) bool { return fold[row] != held }, o)
		if err != nil {
			t.Fatal(err)
		}
		want := mustFit(t, without(data, fold, held), o)
		if tree.NumLeaves() < 8 || tree.Nodes()[0].Leaf.Count != 225 {
			t.Errorf("%d leaves of %d rows", tree.NumLeaves(), tree.Nodes()[0].Leaf.Count)
		}
		for i, x := range data.X {
			if got, exp := tree.Predict(x), want.Predict(x); math.Abs(got-exp) > 1e-12 {
				t.Fatalf("without fold %d, row %d: %v, want %v", held, i, got, exp)
			}
		}
	}
}

// TestRescale: predictions shrink, and the spread of a leaf is that of the rows
// around the new prediction.
func TestRescale(t *testing.T) {
	data := smooth(200, 3, 9)
	tree := mustFit(t, data, regtree.Options{MaxDepth: 3})
	for _, factor := range []float64{0, 0.5, 1} {
		scaled, err := tree.Rescale(factor, data)
		if err != nil {
			t.Fatal(err)
		}
		squares, count := map[float64]float64{}, map[float64]float64{}
		for i, x := range data.X {
			value := tree.Predict(x)
			if got := scaled.Predict(x); math.Abs(got-factor*value) > 1e-15*math.Abs(value) {
				t.Fatalf("factor %v, row %d: %v of %v", factor, i, got, value)
			}
			off := data.Y[i] - factor*value
			squares[value] += off * off
			count[value]++
		}
		leaves := 0
		for i, n := range scaled.Nodes() {
			if n.Feature >= 0 {
				continue
			}
			value := tree.Nodes()[i].Leaf.Value
			if want := math.Sqrt(squares[value] / count[value]); math.Abs(n.Leaf.StdDev-want) > 1e-9 {
				t.Errorf("factor %v: leaf spreads by %v, want %v", factor, n.Leaf.StdDev, want)
			}
			if n.Leaf.Min > n.Leaf.Value || n.Leaf.Max < n.Leaf.Value {
				t.Errorf("factor %v: leaf %+v does not hold its value", factor, n.Leaf)
			}
			leaves++
		}
		if leaves != len(count) || leaves < 4 {
			t.Errorf("%d leaves, %d predictions", leaves, len(count))
		}
	}
}

// TestWith: other targets on the same sorted columns.
func TestWith(t *testing.T) {
	data := smooth(100, 2, 3)
	sorted, err := regtree.Sort(data)
	if err != nil {
		t.Fatal(err)
	}
	other := clone(data)
	for i := range other.Y {
		other.Y[i] = -2 * other.Y[i]
	}
	again, err := sorted.With(other.Y)
	if err != nil {
		t.Fatal(err)
	}
	o := regtree.Options{MaxDepth: 4}
	for _, c := range []struct {
		sorted *regtree.Sorted
		table  regtree.Table
	}{{again, other}, {sorted, data}} {
		tree, err := c.sorted.Fit(func(int) bool { return true }, o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(mustFit(t, c.table, o).Nodes(), tree.Nodes()); diff != "" {
			t.Errorf("tree differs:\n%s", diff)
		}
	}
}
