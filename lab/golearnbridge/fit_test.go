package golearnbridge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/regtree"
)

// ordinary are rows without ties.
func ordinary(rows int, seed uint64) (x [][]float64, y []float64) {
	r := rand.New(rand.NewPCG(seed, 0))
	for range rows {
		x = append(x, []float64{r.Float64() * 32, r.Float64() * 256, r.Float64() * 1000})
		last := x[len(x)-1]
		y = append(y, math.Sqrt(last[0])+last[1]/200+r.NormFloat64()/10)
	}
	return x, y
}

// TestSameSplit: golearn's tree of one comparison predicts for rows that it has not seen what regtree's does.
func TestSameSplit(t *testing.T) {
	for seed := range uint64(20) {
		x, y := ordinary(120, seed)
		grid, err := Grid(x, y)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := Train(grid, 1)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := regtree.Sort(x, y).Fit(func(int) bool { return true }, regtree.Options{MaxLeaves: 2})
		if err != nil {
			t.Fatal(err)
		}
		fresh, unseen := ordinary(120, 100+seed)
		if grid, err = Grid(fresh, unseen); err != nil {
			t.Fatal(err)
		}
		for i, want := range theirs.Predict(grid) {
			if have := ours.Predict(fresh[i])[0]; math.Abs(have-want) > 1e-12 {
				t.Errorf("table %d, row %d: %v, golearn %v", seed, i, have, want)
			}
		}
	}
}
