package scratchpad

import (
	"context"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/gomezluna13"
	"github.com/atomtune/atomtune/lab/validate"
)

// findings are the experiments of [gomezluna13] whose statements are about what
// warps do to each other and what replication, mapping and padding gain.
var findings = []string{"section2.1.1", "section2.2", "figure6", "figure7", "figure8"}

// ScratchpadFindings holds the statements of [gomezluna13] about conflicts
// between warps, replication, mapping and padding against closed form and
// simulator: a value of 1 says that the statement holds. With fewer random
// patterns and runs than package gomezluna13 takes by default. Errors wrap
// ErrValidate.
func ScratchpadFindings(ctx context.Context, o Options) ([]validate.Check, error) {
	const patterns, runs = 20_000, 2
	progress := o.Progress
	if progress == nil {
		progress = func(float64) {}
	}
	var all []validate.Check
	done := 0
	for _, x := range gomezluna13.Paper().Experiments {
		if !slices.Contains(findings, x.Name) {
			continue
		}
		part := func(now, total float64) { progress((float64(done) + now/total) / float64(len(findings))) }
		out, err := x.Run(ctx, papers.Options{Patterns: patterns, Repeats: runs, Seed: o.Seed, Progress: part})
		if err != nil {
			return nil, fmt.Errorf("%w: %w", validate.ErrValidate, err)
		}
		for _, r := range out.Rows {
			c := validate.Check{Item: r.Paper + ", " + r.Item, Limit: 1, Unit: "holds", Least: true, Rows: 1, Status: r.Status, Reason: r.Reason}
			if r.Holds {
				c.Value = 1
			}
			all = append(all, c)
		}
		done++
	}
	return all, nil
}
