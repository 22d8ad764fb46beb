package regtree_test

import (
	"errors"
	"math"
	"testing"

	"github.com/atomtune/atomtune/regtree"
	"pgregory.net/rapid"
)

// table is rows with one target.
type table struct {
	X [][]float64
	Y []float64
}

func everyRow(int) bool { return true }

func mustFit(t rapid.TB, d table, o regtree.Options) regtree.Tree {
	t.Helper()
	tree, err := regtree.Sort(d.X, d.Y).Fit(everyRow, o)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// leaves returns the number of leaves.
func leaves(t regtree.Tree) int { return (len(t) + 1) / 2 }

func TestConstantTargetIsPredictedExactly(t *testing.T) {
	for _, y := range []float64{0, 0.1, -7, 1e100, 5e-324} {
		tree := mustFit(t, line([]float64{1, 2, 3}, []float64{y, y, y}), regtree.Options{MaxLeaves: 9})
		if got := tree.Predict([]float64{9})[0]; got != y || len(tree) != 1 {
			t.Errorf("constant %v: %d nodes, %v", y, len(tree), got)
		}
	}
}

func TestLimitsHold(t *testing.T) {
	data := smooth(500, 3, 7)
	for _, most := range []int{1, 13, 500} {
		if tree := mustFit(t, data, regtree.Options{MaxLeaves: most}); leaves(tree) != most {
			t.Errorf("MaxLeaves %d gives %d leaves", most, leaves(tree))
		}
	}
	rows := map[int]int{}
	tree := mustFit(t, data, regtree.Options{MaxLeaves: 500, MinLeaf: 9})
	for _, x := range data.X {
		rows[tree.Find(x)]++
	}
	for at, n := range rows {
		if n < 9 {
			t.Errorf("MinLeaf 9 leaves %d rows in node %d", n, at)
		}
	}
}

// Growing by gain makes each limit's tree a part of the next one's.
func TestMaxLeavesTakesTheLargestGainsFirst(t *testing.T) {
	data := smooth(400, 2, 3)
	last := math.Inf(1)
	for leaves := 1; leaves <= 40; leaves++ {
		tree, mse := mustFit(t, data, regtree.Options{MaxLeaves: leaves}), 0.0
		for i, x := range data.X {
			mse += math.Pow(data.Y[i]-tree.Predict(x)[0], 2)
		}
		if mse >= last {
			t.Errorf("%d leaves: error %v, not below %v", leaves, mse, last)
		}
		last = mse
	}
}

func TestThresholdSeparatesNeighbours(t *testing.T) {
	next := func(v float64) float64 { return math.Nextafter(v, math.Inf(1)) }
	for _, low := range []float64{0, 1, -1, 1e308, -math.MaxFloat64, 5e-324, math.Nextafter(2, 0)} {
		for _, high := range []float64{next(low), math.MaxFloat64} {
			tree := mustFit(t, line([]float64{low, high}, []float64{1, 2}), regtree.Options{MaxLeaves: 2})
			if l, h := tree.Predict([]float64{low})[0], tree.Predict([]float64{high})[0]; l != 1 || h != 2 {
				t.Errorf("%v and %v are predicted %v and %v, want 1 and 2", low, high, l, h)
			}
			if nan := tree.Predict([]float64{math.NaN()})[0]; nan != 2 {
				t.Errorf("NaN is predicted %v, want the right side's 2", nan)
			}
		}
	}
}

// A large common offset of the targets must not drown their differences.
func TestOffsetOfTargetsDoesNotMatter(t *testing.T) {
	data := smooth(300, 2, 5)
	for i := range data.Y {
		data.Y[i] = math.Round(data.Y[i]*1024) / 1024
	}
	shifted := clone(data)
	for i := range shifted.Y {
		shifted.Y[i] += 1 << 40
	}
	a := mustFit(t, data, regtree.Options{MaxLeaves: 32})
	b := mustFit(t, shifted, regtree.Options{MaxLeaves: 32})
	if len(a) != len(b) {
		t.Fatalf("%d nodes, with an offset %d", len(a), len(b))
	}
	for i := range a {
		if a[i].Feature != b[i].Feature || a[i].Threshold != b[i].Threshold {
			t.Errorf("node %d: feature %d at %v, with an offset feature %d at %v",
				i, a[i].Feature, a[i].Threshold, b[i].Feature, b[i].Threshold)
		}
	}
}

func TestPredictDoesNotAllocate(t *testing.T) {
	data := smooth(200, 3, 1)
	tree := mustFit(t, data, regtree.Options{MaxLeaves: 200})
	sink := 0.0
	if n := testing.AllocsPerRun(100, func() { sink += tree.Predict(data.X[3])[0] }); n != 0 || sink == 0 {
		t.Errorf("%v allocations a prediction", n)
	}
}

func TestNoRows(t *testing.T) {
	data := smooth(9, 2, 1)
	_, err := regtree.Sort(data.X, data.Y).Fit(func(int) bool { return false }, regtree.Options{MaxLeaves: 2})
	if !errors.Is(err, regtree.ErrEmpty) {
		t.Errorf("error %v", err)
	}
}

// TestLink: nodes of one tree, whose right children and leaves are numbered, and of none.
func TestLink(t *testing.T) {
	const leaf = -1
	nodes := func(features ...int) (list []regtree.Node) {
		for _, f := range features {
			list = append(list, regtree.Node{Feature: f})
		}
		return list
	}
	tree, err := regtree.Link(nodes(1, 0, leaf, leaf, 2, leaf, leaf), 3)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range []int{4, 3, 0, 1, 6, 2, 3} {
		if tree[at].Right != want {
			t.Errorf("node %d: %d, want %d", at, tree[at].Right, want)
		}
	}
	infinite := nodes(1, leaf, leaf)
	infinite[0].Threshold = math.Inf(1)
	for name, bad := range map[string][]regtree.Node{"none": nil, "cut": nodes(1, leaf), "only comparisons": nodes(0),
		"two trees": nodes(1, leaf, leaf, leaf), "two leaves": nodes(leaf, leaf), "feature": nodes(3, leaf, leaf),
		"threshold": infinite} {
		if _, err := regtree.Link(bad, 3); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
