// Package ordering says where a choice hangs on the order of a stream.
package ordering

import (
	"fmt"

	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner"
)

// Note adds a warning to the choice for a stream in the order of its file where another would be
// made for the same stream sorted; choose makes it. Nothing is added where sorted is nil.
func Note(d *tuner.Decision, sorted *input.Sorted,
	choose func(indices []uint32) (tuner.Decision, error)) error {
	if sorted == nil {
		return nil
	}
	other, err := choose(sorted.Indices)
	if err != nil {
		return fmt.Errorf("%s: %w", sorted, err)
	}
	if other.Choice.Implementation != d.Choice.Implementation {
		d.Warnings = append(d.Warnings, fmt.Sprintf("this is the order of the file; %s (--order %s) "+
			"the choice would be %s, %s us, without the time to sort", sorted, sorted.Order,
			other.Choice.Implementation, report.Number(other.Choice.PredictedUS)))
	}
	return nil
}
