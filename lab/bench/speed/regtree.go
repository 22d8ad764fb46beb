package speed

import (
	"fmt"

	"github.com/atomtune/atomtune/internal/splitmix"
	"github.com/atomtune/atomtune/lab/golearnbridge"
	"github.com/atomtune/atomtune/regtree"
)

var regtreeSuite = Suite{"regtree", "Regression trees of 256 leaves from seeded rows whose target is a sum of uniform " +
	"features, the smaller fit beside golearn's of 8 comparisons a row, which is timed once.", measureRegtree}

func measureRegtree(r *runner) error {
	x, y := seededRows(10_000, 6)
	grid, err := golearnbridge.Grid(x, y)
	if err != nil {
		return err
	}
	small := fitCase(x, y)
	small.Aim.Ratio = 100
	small.Against = &Reference{Name: "golearn", Work: small.Work, Once: true, Run: func() error {
		_, err := golearnbridge.Train(grid, 8)
		return err
	}}
	if err := r.time(small); err != nil {
		return err
	}
	large := fitCase(seededRows(1_000_000, 10))
	large.Aim.Seconds = 10
	return r.time(large)
}

func fitCase(x [][]float64, y []float64) Case {
	return Case{Name: fmt.Sprintf("fit/rows=%d/features=%d/leaves=256", len(x), len(x[0])), Work: float64(len(x)),
		Unit: "rows", Cores: 1, Run: func() error {
			_, err := regtree.Sort(x, y).Fit(func(int) bool { return true }, regtree.Options{MaxLeaves: 256})
			return err
		}}
}

// seededRows are rows of uniform features.
func seededRows(rows, features int) (x [][]float64, y []float64) {
	rng := splitmix.New(1)
	for range rows {
		row, sum := make([]float64, features), 0.0
		for j := range row {
			row[j] = rng.Float64()
			sum += row[j] * float64(j+1)
		}
		x, y = append(x, row), append(y, sum)
	}
	return x, y
}
