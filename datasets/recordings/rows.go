package recordings

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// RowScatter is a timed call that adds rows, a row of the table that bindings/cuda/bench/rows.py writes.
type RowScatter struct {
	Label                               string // a spec of datasets/synth
	Updates, Rows, Unique, MaxFrequency uint64
	Type                                string // f32, bf16, or bf16 to f32: values and targets, or values to targets
	Call                                device.Call
	Form                                RowForm
	MedianUS, MinUS, MaxUS              float64
	Repeats                             int
	Wrong                               uint64 // elements of the result
	Line                                int    // of the table
}

// RowForm is how a table names an implementation, or AutomaticRows or PyTorch.
type RowForm struct {
	Name  string
	Slots uint64 // rows that have sums in shared memory; 0: by the width
}

// What a table times beside implementations: the call that chooses by sizes, and PyTorch's.
const (
	AutomaticRows = "automatic"
	PyTorch       = "torch.index_add_"
)

// IsImplementation distinguishes implementations from what is timed beside them.
func (f RowForm) IsImplementation() bool { return f.Name != AutomaticRows && f.Name != PyTorch }

// Implementation returns the implementation that it is.
func (f RowForm) Implementation() (impl.Spec, error) {
	v, err := impl.ParseWide(f.Name)
	v.Slots = int(f.Slots)
	return v, cmp.Or(err, v.ValidateWide())
}

// RowCall is a call of a table, of such types and width: indices have 64 bits, and targets are kept.
func RowCall(types string, width uint64) (device.Call, error) {
	values, targets, differ := strings.Cut(types, " to ")
	if !differ {
		targets = values
	}
	value, err := device.ParseElement(values)
	target, wrong := device.ParseElement(targets)
	c := device.Call{Type: device.Type(target), Values: device.Type(value), Width: width, IndexBytes: 8, Keeps: true}
	return c, cmp.Or(err, wrong, c.Validate())
}

func (s *RowScatter) cells(r *row) {
	var width uint64
	s.Line = r.line
	r.word("label", &s.Label)
	r.natural("updates", 1, &s.Updates)
	r.natural("rows", 1, &s.Rows)
	r.natural("unique", 1, &s.Unique)
	r.natural("max_frequency", 1, &s.MaxFrequency)
	r.word("type", &s.Type)
	r.natural("width", 1, &width)
	r.word("form", &s.Form.Name)
	r.natural("slots", 0, &s.Form.Slots)
	r.number("median_us", &s.MedianUS)
	r.number("min_us", &s.MinUS)
	r.number("max_us", &s.MaxUS)
	r.count("repeats", 1, &s.Repeats)
	r.natural("wrong", 0, &s.Wrong)
	if r.err == nil && r.reading {
		s.Call, r.err = RowCall(s.Type, width)
	}
}

type rowKey struct {
	label string
	call  device.Call
	form  RowForm
}

func (s RowScatter) key() rowKey { return rowKey{s.Label, s.Call, s.Form} }

func (s RowScatter) title() string {
	return fmt.Sprintf("%s %s of width %d, %s of %d slots", s.Label, s.Type, s.Call.Width, s.Form.Name,
		s.Form.Slots)
}

func (s RowScatter) validate() error {
	if !(s.MinUS > 0 && s.MinUS <= s.MedianUS && s.MedianUS <= s.MaxUS) || math.IsInf(s.MaxUS, 1) {
		return fmt.Errorf("median_us %v, min_us %v, max_us %v", s.MedianUS, s.MinUS, s.MaxUS)
	}
	_, err := synth.Parse(s.Label)
	if err == nil && s.Form.IsImplementation() {
		_, err = s.Form.Implementation()
	}
	return err
}

// DecodeRows reads the table of a GPU, through gzip where data is so packed. Errors give the name, line and
// value, and wrap ErrRecording.
func DecodeRows(name string, data []byte) (gpu string, all []RowScatter, err error) {
	p, all, err := decodeEntries[rowKey, RowScatter](name, data)
	if err == nil && p.GPU == "" {
		err = broken(name, 1, "no line of the head says \"# gpu: NAME\"")
	}
	return p.GPU, all, err
}
