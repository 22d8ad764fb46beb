package regtree_test

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/regtree"
)

func mustFit(t testing.TB, table regtree.Table, o regtree.Options) *regtree.Tree {
	t.Helper()
	tree, err := regtree.Fit(table, o)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestConstantTargetIsPredictedExactly(t *testing.T) {
	for _, y := range []float64{0, 0.1, -7, 1e100, 5e-324} {
		tree := mustFit(t, table([]float64{1, 2, 3}, []float64{y, y, y}), regtree.Options{})
		want := regtree.Leaf{Value: y, Count: 3, Min: y, Max: y}
		if got := tree.Leaf([]float64{9}); got != want || tree.NumLeaves() != 1 {
			t.Errorf("constant %v: %d leaves, %+v", y, tree.NumLeaves(), got)
		}
	}
}

func TestLimitsHold(t *testing.T) {
	data := smooth(500, 3, 7)
	full := mustFit(t, data, regtree.Options{})
	if full.NumLeaves() != 500 {
		t.Fatalf("unlimited tree has %d leaves for 500 distinct rows", full.NumLeaves())
	}
	if tree := mustFit(t, data, regtree.Options{MaxDepth: 4}); depth(tree.Nodes(), 0) != 4 {
		t.Errorf("MaxDepth 4 gives depth %d", depth(tree.Nodes(), 0))
	}
	for _, most := range []int{1, 13} {
		if tree := mustFit(t, data, regtree.Options{MaxLeaves: most}); tree.NumLeaves() != most {
			t.Errorf("MaxLeaves %d gives %d leaves", most, tree.NumLeaves())
		}
	}
	for _, n := range mustFit(t, data, regtree.Options{MinLeaf: 9}).Nodes() {
		if n.Leaf.Count < 9 {
			t.Errorf("MinLeaf 9 leaves %d rows in a node", n.Leaf.Count)
		}
	}
}

// Growing by gain makes each limit's tree a part of the next one's.
func TestMaxLeavesTakesTheLargestGainsFirst(t *testing.T) {
	data := smooth(400, 2, 3)
	last := math.Inf(1)
	for leaves := 1; leaves <= 40; leaves++ {
		mse := trainingError(mustFit(t, data, regtree.Options{MaxLeaves: leaves}))
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
			tree := mustFit(t, table([]float64{low, high}, []float64{1, 2}), regtree.Options{})
			if l, h := tree.Predict([]float64{low}), tree.Predict([]float64{high}); l != 1 || h != 2 {
				t.Errorf("%v and %v are predicted %v and %v, want 1 and 2", low, high, l, h)
			}
			if nan := tree.Predict([]float64{math.NaN()}); nan != 2 {
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
	a := mustFit(t, data, regtree.Options{MaxDepth: 5}).Nodes()
	b := mustFit(t, shifted, regtree.Options{MaxDepth: 5}).Nodes()
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
	tree := mustFit(t, data, regtree.Options{})
	var sink float64
	if n := testing.AllocsPerRun(100, func() {
		sink += tree.Predict(data.X[3]) +
			tree.Leaf(data.X[4]).Value
	}); n != 0 {
		t.Errorf("%v allocations a prediction", n)
	}
	if sink == 0 {
		t.Error("predictions add up to 0")
	}
}
