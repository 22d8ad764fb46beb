package scratchpad

import (
	"context"
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
// simulator: a value of 1 says that the statement holds. Readings of ours decide nothing, and are
// left out. With fewer random
// patterns and runs than package gomezluna13 takes by default. Errors wrap
// ErrValidate.
func ScratchpadFindings(ctx context.Context, o Options) (all []validate.Check, err error) {
	defer validate.Wrap(&err)
	const patterns, runs = 20_000, 2
	done := 0
	for _, x := range gomezluna13.Paper().Experiments {
		if !slices.Contains(findings, x.Name) {
			continue
		}
		out, err := x.Run(ctx, papers.Options{Patterns: patterns, Repeats: runs, Seed: o.Seed,
			Progress: func(now, total float64) {
				o.Progress((float64(done) + now/total) / float64(len(findings)))
			}})
		if err != nil {
			return nil, err
		}
		all = append(all, checksOf(out.Rows)...)
		done++
	}
	return all, nil
}

// checksOf are the checks of the enforced rows and the known gaps.
func checksOf(rows []papers.Row) (all []validate.Check) {
	statuses := map[string]string{papers.Enforced: validate.Enforced, papers.KnownGap: validate.KnownGap}
	for _, r := range rows {
		if r.Status == papers.Reading {
			continue
		}
		c := validate.AtLeast(r.Paper+", "+r.Item, 0, 1, "holds", 1)
		c.Status, c.Reason = statuses[r.Status], r.Reason
		if r.Holds {
			c.Value = 1
		}
		all = append(all, c)
	}
	return all
}
