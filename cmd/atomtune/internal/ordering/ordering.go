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
	d.Warnings = Against(d.Warnings, d.Choice.Implementation.String(), sorted,
		func(indices []uint32) (string, float64, error) {
			other, err := choose(indices)
			return other.Choice.Implementation.String(), other.Choice.PredictedUS, err
		})
}

// Against adds such a warning where choose names another implementation and its time.
func Against(warnings []string, implementation string, sorted *input.Sorted,
	choose func(indices []uint32) (name string, us float64, err error)) []string {
	if sorted == nil {
		return warnings
	}
	name, us, err := choose(sorted.Indices)
	switch {
	case err != nil:
		return append(warnings, warning(sorted, fmt.Sprintf("none: %v", err)))
	case name == implementation:
		return warnings
	}
	return append(warnings, warning(sorted, fmt.Sprintf("%s, %s us, without the time to sort", name,
		report.Number(us))))
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
