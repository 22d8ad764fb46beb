package input

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/collision/reuse"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/rows"
)

// RowFlags say that each index updates a row of Width elements; Width is 0 where it updates one.
type RowFlags struct{ Width uint64 }

// Register adds the flag.
func (f *RowFlags) Register(cmd *cobra.Command) {
	cmd.Flags().Uint64Var(&f.Width, "width", 0,
		"each index updates a row of `D` consecutive elements, the gradient of an embedding for instance")
}

// Given reports whether a command is about rows. It refuses rows that there are not, and a sample, of
// which their statistics are not known.
func (f *RowFlags) Given(cmd *cobra.Command) (bool, error) {
	if !cmd.Flags().Changed("width") {
		return false, nil
	}
	if err := (rows.Call{Width: f.Width}).Validate(); err != nil {
		return true, command.Usagef("--width %d: want 1 to %d elements", f.Width, rows.MostWidth)
	}
	if cmd.Flags().Changed("sample") {
		return true, command.Usagef("--sample does not go with --width: the statistics of rows are those of " +
			"the whole stream")
	}
	return true, nil
}

// BitsSet says what the highest index there is may be.
const BitsSet = "the highest index is 4294967295, all bits set: where that is padding, --ignore -1 leaves " +
	"it out"

// reusing is about the memory that a choice for rows takes at most: how so many are used again in so many
// updates, keys included.
func reusing(updates, unique, bins uint64, keys bool) float64 {
	each := 40.0
	if bins > reuse.MostDense {
		each = 270
	}
	if keys {
		each += 90
	}
	return float64(each*float64(unique)) + float64(18*float64(updates))
}

// heldRows are held to tell how they are used again; Width is 0 where that is not asked for.
type heldRows struct {
	RowFlags
	held
	keys bool
}

// measure adds to statistics how the rows are used again.
func (r *heldRows) measure(e *command.Env, name string, s *collision.Stats) (err error) {
	if s.Bins == datasets.MaxBins {
		return fmt.Errorf("%w: %s", reuse.ErrStream, BitsSet)
	}
	Much(e, reusing(s.Updates, s.Unique, s.Bins, r.keys), "; --"+maxUpdates+" takes the first updates only",
		"%s: how its %d rows are used again", name, s.Unique)
	s.Rows, err = reuse.Analyze(r.indices, s.Bins)
	return err
}
