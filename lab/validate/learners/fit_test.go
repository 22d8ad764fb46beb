package learners

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/regtree"
)

// TestConstant: where every row has one value, every learner predicts it; boosting, which goes
// a tenth of the way in each of its rounds, all but 0.9 to their number of it.
func TestConstant(t *testing.T) {
	const value = 3
	table := regtree.Table{Features: []string{"a", "b"}}
	for i := range 60 {
		table.X = append(table.X, []float64{float64(i % 7), float64(i % 11)})
		table.Y = append(table.Y, value)
	}
	for name, c := range map[string]struct {
		fit  func(regtree.Table, uint64) (predictor, error)
		want float64
	}{
		"pruned": {prunedTree, value}, "golearn": {golearn, value}, "linear": {linear, value},
		"nearest": {nearest, value}, "bagged": {bagged, value},
		"boosted": {boosted, value * (1 - math.Pow(1-boostRate, boostRounds))},
	} {
		predict, err := c.fit(table, 1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, x := range [][]float64{{0, 0}, {3, 5}, {6, 10}} {
			if got := predict(x); math.Abs(got-c.want) > 1e-6 {
				t.Errorf("%s at %v: %v, want %v", name, x, got, c.want)
			}
		}
	}
}
