// Package ordering says where a choice hangs on the order of a stream.
package ordering

import (
	"fmt"

	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/dispatch"
)

// Note adds a warning to the choice for a stream in the order of its file where another would be
// made for the same stream sorted; choose makes it. Nothing is added where sorted is nil.
func Note(d *tuner.Decision, sorted *input.Sorted,
	choose func(indices []uint32) (tuner.Decision, error)) {
	if sorted == nil {
		return
	}
	other, err := choose(sorted.Indices)
	if err != nil {
		d.Warnings = append(d.Warnings, warning(sorted, fmt.Sprintf("none: %v", err)))
		return
	}
	if other.Choice.Implementation != d.Choice.Implementation {
		d.Warnings = append(d.Warnings, warning(sorted, fmt.Sprintf("%s, %s us, without the time to "+
			"sort", other.Choice.Implementation, report.Number(other.Choice.PredictedUS))))
	}
}

// Compare adds such a warning where the action of a decision tree for the sorted stream runs
// another implementation.
func Compare(warnings []string, action, other dispatch.Action, sorted *input.Sorted) []string {
	if other.Implementation == action.Implementation {
		return warnings
	}
	return append(warnings, warning(sorted, other.Implementation.String()))
}

func warning(sorted *input.Sorted, choice string) string {
	return fmt.Sprintf("this is the order of the file; %s (--order %s) the choice would be %s", sorted,
		sorted.Order, choice)
}
