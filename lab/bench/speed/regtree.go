package speed

import (
	"fmt"

	"github.com/atomtune/atomtune/internal/splitmix"
	"github.com/atomtune/atomtune/lab/golearnbridge"
	"github.com/atomtune/atomtune/regtree"
)

var regtreeSuite = Suite{"regtree", "Regression trees from seeded tables of a sum of uniform features: " +
	"fits beside golearn's, which is timed once, and predictions of rows that the fit did not see.", measureRegtree}

// perRow is the aim of a batch of predictions: seconds a row.
const perRow = 15e-9

func measureRegtree(r *runner) error {
	if err := r.fitBesideGolearn(10_000, 6, 8); err != nil {
		return err
	}
	large := seededTable(1_000_000, 10, 1)
	for _, depth := range []int{8, 0} {
		err := r.time(Case{Name: fmt.Sprintf("fit/rows=%d/features=10/%s", len(large.X), limit(depth)),
			Work: float64(len(large.X)), Unit: "rows", Cores: 1, Aim: Aim{Seconds: 10},
			Run: func() error { return grow(large, depth) }})
		if err != nil {
			return err
		}
	}
	for _, depth := range []int{8, 10, 0} {
		if err := r.predict(20_000, 16_384, depth); err != nil {
			return err
		}
	}
	return nil
}

// fitBesideGolearn times a fit, and golearn's own once its data are in its form.
func (r *runner) fitBesideGolearn(rows, features, depth int) error {
	t := seededTable(rows, features, 1)
	grid, err := golearnbridge.Grid(t)
	if err != nil {
		return err
	}
	return r.time(Case{Name: fmt.Sprintf("fit/rows=%d/features=%d/%s", rows, features, limit(depth)),
		Work: float64(rows), Unit: "rows", Cores: 1, Aim: Aim{Ratio: 100},
		Run: func() error { return grow(t, depth) },
		Against: &Reference{Name: "golearn", Work: float64(rows), Once: true, Run: func() error {
			_, err := golearnbridge.Train(grid, depth)
			return err
		}}})
}

// predict times a batch of rows beside the same rows one by one. Limited trees have an aim.
func (r *runner) predict(fitted, rows, depth int) error {
	tree, err := regtree.Fit(seededTable(fitted, 6, 1), regtree.Options{MaxDepth: depth})
	if err != nil {
		return err
	}
	x, out := seededTable(rows, 6, 2).X, make([]float64, rows)
	c := Case{Name: fmt.Sprintf("predict/rows=%d/leaves=%d/%s", rows, tree.NumLeaves(), limit(depth)),
		Work: float64(rows), Unit: "rows", Cores: 1,
		Run: func() error {
			tree.PredictAll(x, out)
			return nil
		},
		Against: &Reference{Name: "row by row", Work: float64(rows), Run: func() error {
			for i, row := range x {
				out[i] = tree.Predict(row)
			}
			return nil
		}}}
	if depth > 0 {
		c.Aim.Rate = 1 / perRow
	}
	return r.time(c)
}

func grow(t regtree.Table, depth int) error {
	_, err := regtree.Fit(t, regtree.Options{MaxDepth: depth})
	return err
}

// limit names a largest depth as options do, where 0 is none.
func limit(depth int) string {
	if depth == 0 {
		return "depth=any"
	}
	return fmt.Sprintf("depth=%d", depth)
}

// seededTable returns a table of uniform features and a sum of them.
func seededTable(rows, features int, seed uint64) regtree.Table {
	t := regtree.Table{}
	rng := splitmix.New(seed)
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
