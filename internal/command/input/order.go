package input

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/report"
)

// Taken says which updates of an input are taken, and in which order.
type Taken struct {
	// Targets is what gives the targets where the input has several such things: "axis row".
	Targets string `json:"targets_from,omitempty"`
	// Order is "file", or "row" or "col" where lines are sorted; empty for a stream that is made.
	Order string `json:"order,omitempty"`
	// Mirrored: each entry of a symmetric matrix that is off the diagonal is two updates.
	Mirrored bool `json:"mirrored,omitempty"`
	// Index is the type of the indices that a kernel reads: that of the input, or what --index says.
	Index  device.Type `json:"index"`
	groups string
}

// Of is the call with the indices of the stream. Those of rows have 4 bytes at least.
func (t Taken) Of(c device.Call) device.Call {
	if bytes := t.Index.Bytes(); bytes != 4 && (bytes == 8 || !c.Wide()) {
		c.IndexBytes = bytes
	}
	return c
}

func (t Taken) sortable() bool { return t.Order == datasets.OrderFile && t.groups != "" }

// Words say it; empty for a stream that is made.
func (t Taken) Words() string {
	text := map[string]string{datasets.OrderFile: "in the order of the file",
		datasets.OrderRow: "sorted by row", datasets.OrderCol: "sorted by column"}[t.Order]
	if t.Mirrored {
		if t.Order == datasets.OrderFile {
			text += ", mirrored entries after their own"
		} else {
			text += ", mirrored entries included"
		}
	}
	if t.Targets != "" {
		return "targets from " + t.Targets + ", " + text
	}
	return text
}

// Title names the stream, its format, and which updates are taken in which order.
func (d *StreamDocument) Title() string { return d.File + " (" + d.Kind() + ")" }

// Kind is the format, and which updates are taken in which order.
func (d *StreamDocument) Kind() string {
	if words := d.Words(); words != "" {
		return d.Format + ", " + words
	}
	return d.Format
}

// RegisterTaken adds the flags of Register, and those that say which updates are taken in which order.
func (f *StreamFlags) RegisterTaken(cmd *cobra.Command, stdin io.Reader) {
	f.Register(cmd, stdin)
	cmd.Flags().StringVar(&f.Options.Ignore, "ignore", "",
		"treat this index `value`, such as -1, as padding")
	cmd.Flags().StringVar(&f.Options.Order, "order", datasets.OrderFile,
		"`order` of updates: file, row or col")
	command.CompleteFlag(cmd, "order", Orders)
}

// ErrIgnored reports a stream with positions without an update, where none can be.
var ErrIgnored = errors.New("positions without an update")

// Whole returns an error that wraps ErrIgnored where updates are ignored.
func (s *Loaded) Whole(what string) error {
	if s.Ignored == 0 {
		return nil
	}
	return fmt.Errorf("%s: %w: --ignore leaves out %d of %d, but %s; remove them from the file",
		s.File, ErrIgnored, s.Ignored, len(s.Indices), what)
}

// LoadWhole is Load of a stream that may ignore nothing, for what.
func LoadWhole(e *command.Env, path string, in StreamFlags, what string) (Loaded, error) {
	s, err := Load(e, path, in)
	if err == nil {
		err = s.Whole(what)
	}
	return s, err
}

var Orders = []string{datasets.OrderFile, datasets.OrderRow, datasets.OrderCol}

// MostSorted is the most updates of a stream that is sorted to be compared: 64 MiB.
const MostSorted = 1 << 24

// Sorted is a stream in the order that puts equal targets together.
type Sorted struct {
	Order   string // the word of --order for it
	Indices []uint32
}

// String says in words how it is sorted.
func (s *Sorted) String() string { return Taken{Order: s.Order}.Words() }

// Against returns a warning for a stream in the order of its file where another implementation would be
// chosen for the same stream sorted, of which choose predicts the time, 0 if it cannot.
func (s *Sorted) Against(chosen string,
	choose func(indices []uint32) (name string, us float64, err error)) []string {
	if s == nil {
		return nil
	}
	name, us, err := choose(s.Indices)
	switch {
	case err != nil:
		name = fmt.Sprintf("none: %v", err)
	case name == chosen:
		return nil
	case us > 0:
		name += ", " + report.Number(us) + " us, without the time to sort"
	}
	return []string{fmt.Sprintf("this choice is for the order of the file; %s (--order %s) it would be %s", s, s.Order,
		name)}
}

// sortable keeps the targets of a stream while there are no more than MostSorted.
type sortable struct {
	on      bool
	indices []uint32
}

func (s *sortable) add(chunk []uint32) {
	if s.on = s.on && len(s.indices)+len(chunk) <= MostSorted; !s.on {
		s.indices = nil
		return
	}
	s.indices = append(s.indices, chunk...)
}

func (s *sortable) sort(t Taken) *Sorted {
	if !s.on || slices.IsSorted(s.indices) {
		return nil
	}
	slices.Sort(s.indices)
	return &Sorted{t.groups, s.indices}
}
