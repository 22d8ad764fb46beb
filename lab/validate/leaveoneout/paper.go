package leaveoneout

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/egielski14"
	"github.com/atomtune/atomtune/lab/validate"
)

// PaperOff is "% Off Opt." of a line of [egielski14] Tables 1 to 3: on average
// how much longer the predicted implementation takes than the best, with
// leave-one-out over the inputs.
type PaperOff struct {
	Table     int     `json:"table"`
	Device    string  `json:"device"`
	Benchmark string  `json:"benchmark"`
	Inputs    int     `json:"inputs"`
	Percent   float64 `json:"off_optimal_percent"` // as the paper has it
	// SimulatedPercent is that of the same application simulated here, on inputs
	// made here; nil where it was not simulated.
	SimulatedPercent *float64 `json:"simulated_off_optimal_percent"`
}

// PublishedOff lists these figures, which egielski14 holds, in the order of the tables.
func PublishedOff() []PaperOff {
	var all []PaperOff
	for i, device := range []string{"gtx680", "c2075"} {
		for _, level := range []string{"block-private", "warp-private", "no-private"} {
			all = append(all, PaperOff{Table: i + 1, Device: device, Benchmark: "histogram, " + level,
				Inputs: egielski14.Images, Percent: egielski14.PublishedOff(i+1, level)})
		}
	}
	for _, on := range [][2]string{{"gtx680", "Kepler"}, {"c2075", "Fermi"}} {
		all = append(all, PaperOff{Table: 3, Device: on[0], Benchmark: "SpMV",
			Inputs: egielski14.Matrices, Percent: egielski14.PublishedOff(3, on[1])})
	}
	return all
}

// offRow ends the item of a row of package egielski14 that has such a figure.
const offRow = ", off optimal"

// SimulateApplications simulates the applications behind the paper's tables and fills in SimulatedPercent.
// Errors wrap ErrValidate.
func SimulateApplications(ctx context.Context, list []PaperOff) (err error) {
	defer validate.Wrap(&err)
	for _, x := range egielski14.Paper().Experiments {
		var number int
		if _, err := fmt.Sscanf(x.Name, "table%d", &number); err != nil {
			continue
		}
		out, err := x.Run(ctx, papers.Options{})
		if err == nil {
			err = fill(list, number, out.Rows)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fill takes the figures of a table's lines from the rows of its experiment,
// which are in the same order and name the same published figures.
func fill(list []PaperOff, table int, rows []papers.Row) error {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r papers.Row) bool {
		return !strings.HasSuffix(r.Item, offRow)
	})
	for i := range list {
		line := &list[i]
		if line.Table != table {
			continue
		}
		if len(rows) == 0 {
			return fmt.Errorf("table %d, %s: not simulated", table, line.Benchmark)
		}
		if paper, _ := rows[0].PaperValue.Float(); paper != line.Percent {
			return fmt.Errorf("table %d, %s: %v %% off optimal published, but %s has %v %%",
				table, line.Benchmark, line.Percent, rows[0].Item, paper)
		}
		ours, number := rows[0].Ours.Float()
		if !number {
			return fmt.Errorf("%s: %s is not a number", rows[0].Item, rows[0].Ours)
		}
		line.SimulatedPercent = &ours
		rows = rows[1:]
	}
	if len(rows) > 0 {
		return fmt.Errorf("%s: not among the published figures", rows[0].Item)
	}
	return nil
}
