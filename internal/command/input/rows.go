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

// RowsDocument describes a measured stream whose indices are rows.
type RowsDocument struct {
	StreamDocument
	Width uint64       `json:"width"`
	Rows  *reuse.Stats `json:"rows"`
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

// MeasureRows measures one input as Measure does, and how its rows are used again. The stream is held
// in memory, and returned.
func MeasureRows(e *command.Env, path string, in StreamFlags, how collision.Options,
	width uint64) (doc RowsDocument, s Loaded, err error) {
	all := held{most: in.most}
	seen, err := Observe(e, path, in, how, all.add)
	if err != nil {
		return doc, s, err
	}
	s.Indices = all.done()
	s.StreamDocument, s.Bins, s.Padded = seen.StreamDocument, seen.Bins, in.Options.Ignore != ""
	doc = RowsDocument{StreamDocument: seen.StreamDocument, Width: width}
	if doc.Bins == datasets.MaxBins {
		return doc, s, fmt.Errorf("%s: %w: %s", doc.File, reuse.ErrStream, BitsSet)
	}
	Much(e, reusing(doc.Updates, doc.Unique, doc.Bins, in.Options.Keys), "; --"+maxUpdates+
		" takes the first updates only", "%s: how its %d rows are used again", doc.File, doc.Unique)
	if doc.Rows, err = reuse.Analyze(s.Indices, s.Bins); err != nil {
		return doc, s, fmt.Errorf("%s: %w", doc.File, err)
	}
	return doc, s, nil
}
