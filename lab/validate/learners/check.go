package learners

import (
	"context"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// CheckLearners compares a table with what the named learners give now, as
// MakeLearners has it. The error names the first row that differs or is missing.
func CheckLearners(ctx context.Context, d *device.Profile, s model.Sweep, rows []training.Row, table []LearnerRow, names ...string) error {
	o := LearnerOptions{Learners: learnersNamed(names...), Recorded: recordingsOf(d)}
	if len(names) == 0 || len(o.Learners) != len(names) {
		return fmt.Errorf("%d learners of the names %q", len(o.Learners), names)
	}
	now, err := CompareLearners(ctx, d, s, rows, o)
	if err != nil {
		return err
	}
	return compareLearners(now, table)
}

// compareLearners looks for each row of a comparison made now in the table.
func compareLearners(now, table []LearnerRow) error {
	for i := range now {
		want := now[i].record()
		at := slices.IndexFunc(table, func(r LearnerRow) bool {
			return r.Device == now[i].Device && r.Judge == now[i].Judge && r.Learner == now[i].Learner
		})
		if at < 0 {
			return fmt.Errorf("no row of %q on %s, %s", now[i].Learner, now[i].Device, now[i].Judge)
		}
		if got := table[at].record(); !slices.Equal(got, want) {
			return fmt.Errorf("row %d is %q, now %q", at+1, got, want)
		}
	}
	return nil
}
