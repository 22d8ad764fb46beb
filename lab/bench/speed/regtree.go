package speed

import (
	"fmt"

	"github.com/atomtune/atomtune/internal/splitmix"
	"github.com/atomtune/atomtune/regtree"
)

var regtreeSuite = Suite{"regtree", "Regression trees of depth 8 from seeded tables.", measureRegtree}

func measureRegtree(r *runner) error {
	for _, rows := range []int{10_000} {
		t := seededTable(rows, 6)
		err := r.time(Case{Name: fmt.Sprintf("fit/rows=%d/features=6/depth=8", rows), Work: float64(rows),
			Unit: "rows", Cores: 1, Run: func() error {
				_, err := regtree.Fit(t, regtree.Options{MaxDepth: 8})
				return err
			}})
		if err != nil {
			return err
		}
	}
	return nil
}

// seededTable returns a table of a smooth function with steps.
func seededTable(rows, features int) regtree.Table {
	t := regtree.Table{}
	rng := splitmix.New(1)
	for j := range features {
		t.Features = append(t.Features, fmt.Sprintf("x%d", j))
	}
	for range rows {
		row, y := make([]float64, features), 0.0
		for j := range row {
			row[j] = rng.Float64()
			y += row[j] * float64(j+1)
		}
		t.X, t.Y = append(t.X, row), append(t.Y, y)
	}
	return t
}
