package regtree_test

import (
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/regtree"
	"pgregory.net/rapid"
)

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
