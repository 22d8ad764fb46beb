package regtree_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/regtree"
	"pgregory.net/rapid"
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

// TestPredictAll: a batch of any length predicts bit for bit what its rows do one by one, rows on
// thresholds, rows that no tree has seen and NaN among them, and leaves the rest of out alone.
func TestPredictAll(t *testing.T) {
	predicted := 0
	rapid.Check(t, func(t *rapid.T) {
		table := anyTable(t)
		tree, err := regtree.Fit(table, anyOptions(t))
		if err != nil {
			t.Fatal(err)
		}
		values := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 0.5, 1e9}
		for _, n := range tree.Nodes() {
			if n.Feature >= 0 {
				values = append(values, n.Threshold, math.Nextafter(n.Threshold, -1))
			}
		}
		value := rapid.SampledFrom(values)
		x := rapid.SliceOfN(rapid.SliceOfN(value, len(table.Features), len(table.Features)), 0, 40).Draw(t, "x")
		x = append(x, table.X...)
		out := make([]float64, len(x)+1)
		out[len(x)] = -77
		tree.PredictAll(x, out)
		for i, row := range x {
			if want := tree.Predict(row); math.Float64bits(out[i]) != math.Float64bits(want) {
				t.Fatalf("row %d, %v: %v in a batch, %v alone", i, row, out[i], want)
			}
			predicted++
		}
		if out[len(x)] != -77 {
			t.Fatalf("a batch of %d rows wrote behind them", len(x))
		}
	})
	if predicted < 100 {
		t.Errorf("predicted %d rows", predicted)
	}
}

// TestPredictAllDeep: ways of very different lengths end in one batch, the longest first or last.
func TestPredictAllDeep(t *testing.T) {
	var x [][]float64
	var y []float64
	for i := range 64 {
		x, y = append(x, []float64{float64(i)}), append(y, math.Pow(4, float64(i)))
	}
	tree := mustFit(t, regtree.Table{Features: []string{"x"}, X: x, Y: y}, regtree.Options{})
	if d := depth(tree.Nodes(), 0); d < 20 {
		t.Fatalf("depth %d", d)
	}
	for range 2 {
		out := make([]float64, len(x))
		tree.PredictAll(x, out)
		for i, have := range out {
			if have != tree.Predict(x[i]) {
				t.Errorf("row %v: %v in a batch, %v alone", x[i], have, tree.Predict(x[i]))
			}
		}
		slices.Reverse(x)
	}
}

// BenchmarkPredictAll takes as many rows at a time. Its time is of one row.
func BenchmarkPredictAll(b *testing.B) {
	for _, o := range []regtree.Options{{MaxDepth: 8}, {MaxDepth: 10, MinLeaf: 5}, {}} {
		table := smooth(20000, 6, 1)
		tree, err := regtree.Fit(table, o)
		if err != nil {
			b.Fatal(err)
		}
		x := table.X[:16384]
		out := make([]float64, len(x))
		b.Run(fmt.Sprintf("depth=%d/leaves=%d/rows=%d", depth(tree.Nodes(), 0), tree.NumLeaves(), len(x)),
			func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					tree.PredictAll(x, out)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(x)), "ns/row")
			})
	}
}
