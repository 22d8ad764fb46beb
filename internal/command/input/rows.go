package input

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/tuner"
)

// RegisterWidth adds the flag that says that each index updates a row.
func (f *StreamFlags) RegisterWidth(cmd *cobra.Command) {
	cmd.Flags().Uint64Var(&f.Width, "width", 0,
		"each index updates a row of `D` consecutive elements, as in embedding gradients")
}

// notWide are the flags of all commands that rows cannot follow, with the reason. What rows cannot do, whatever
// the flags, device.Call.Validate says.
var notWide = []struct {
	why   string
	flags []string
}{
	{"the statistics of rows need the whole stream", []string{"sample", "sampling-cost",
		"sampling-most", "sample-from"}},
	{"rows are added in a grid that follows from their width", []string{"launch"}},
	{"there is no trained model of rows", []string{"model"}},
	{"plans are only for single targets", []string{"save-plan"}},
}

// CheckWidth refuses rows that there are not, and flags that do not go with rows.
func (f *StreamFlags) CheckWidth(given func(flag string) bool) error {
	if !given("width") {
		return nil
	}
	if f.Width == 0 || f.Width > device.MostWidth {
		return command.Usagef("--width %d: want 1 to %d elements", f.Width, device.MostWidth)
	}
	for _, list := range notWide {
		if i := slices.IndexFunc(list.flags, given); i >= 0 {
			return command.Usagef("--%s cannot be used with --width: %s", list.flags[i], list.why)
		}
	}
	return nil
}

// Finish completes a call by the flags about rows of the stream, and refuses an invalid call.
func (f *CallFlags) Finish(in *StreamFlags, given func(flag string) bool) error {
	if err := cmp.Or(in.CheckWidth(given), in.checkIndex()); err != nil {
		return err
	}
	switch f.Call.Width = in.Width; {
	case f.Call.Wide() && !given("type"):
		f.Call.Type = device.F32
	case !f.Call.Wide() && f.values != "":
		return command.Usagef("--value-type needs --width")
	case !f.Call.Wide() && f.Call.Type == device.BF16:
		return command.Usagef("--type %s needs --width", f.Call.Type)
	}
	if f.values != "" {
		values, err := device.ParseElement(f.values)
		if err != nil {
			return fmt.Errorf("--value-type: %w", err)
		}
		f.Call.Values = device.Type(values)
	}
	if err := f.Call.Validate(); err != nil && f.Call.Wide() {
		names := fmt.Sprintf("--width %d", f.Call.Width)
		for _, flag := range []string{"type", "value-type", "op", "value", "returns"} {
			if given(flag) {
				names += " --" + flag
			}
		}
		return fmt.Errorf("%s: %w", names, err)
	}
	return nil
}

// reusing is about the memory that it takes at most to measure how so many rows are used again in so many
// updates, keys included.
func reusing(updates, unique uint64, keys bool) float64 {
	each := 40.0
	if keys {
		each += 90
	}
	return each*float64(unique) + 18*float64(updates)
}

// warnOfRows notes that measuring how rows are used again may take much memory.
func (s *Source) warnOfRows(updates uint64) {
	unique := min(updates, s.counted/4)
	Much(s.env, reusing(updates, unique, s.flags.Options.Keys), "; --"+maxUpdates+" uses only the first updates",
		"%s: how its rows are used again", s.File)
}

// ofRows names what may be wrong with a stream of too many rows.
func ofRows(err error) error {
	if errors.Is(err, collision.ErrRows) {
		return fmt.Errorf("%w: %s", err, tuner.BitsSet)
	}
	return err
}
