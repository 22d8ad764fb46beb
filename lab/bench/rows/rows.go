// Package rows reads what cuda/bench/rows.py measured on a GPU, the call that updates rows against
// PyTorch's index_add_ and against its own implementations, and says how they compare.
//
// After a change of the simulator or of a profile, remove recorded/NAME_simulated.csv and run
// "script/regenerate row-calls"; after a change of prices alone, "script/regenerate rows".
package rows

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/collision/reuse"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/speedup"
)

// ErrRun is wrapped by the errors of a table that is none of row scatters.
var ErrRun = errors.New("no table of row scatters")

// Form is a way to make the updates, as the table names it: runs, hot, sort, or automatic, which is
// the call that chooses by sizes; "torch.index_add_" is PyTorch's.
type Form struct {
	Name  string
	Slots uint64 // rows that have sums in shared memory; 0: by the width
}

// Case is one stream with rows of one type and width.
type Case struct {
	Label                 string
	Updates, Rows, Unique uint64
	MaxFrequency          uint64
	Type                  string // f32, bf16, or bf16 to f32: values and targets, or values to targets
	Width                 uint64 // elements of a row
	US                    map[Form]float64
	Wrong                 uint64 // elements, of implementations other than PyTorch's
	call                  device.Call
}

// Run is a table of one GPU.
type Run struct {
	GPU   string
	With  []string // what it was measured with, NAME: VALUE each
	Cases []Case   // in the order of the table
}

var columns = strings.Split("label,updates,rows,unique,max_frequency,type,width,form,slots,"+
	"median_us,min_us,max_us,repeats,wrong", ",")

// Read reads a table, packed by gzip or not. Errors name file and line.
func Read(path string) (*Run, error) {
	data, err := wholefile.Read(path, wholefile.Most)
	if err != nil {
		return nil, err
	}
	if data, _, err = gzipped.Unpack(data, wholefile.Most); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return decode(path, data)
}

// decode reads a table: lines that begin with #, then CSV.
func decode(name string, data []byte) (*Run, error) {
	r, head := &Run{}, 0
	for bytes.HasPrefix(data, []byte("#")) {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data, head = rest, head+1
		word := strings.TrimSpace(string(line[1:]))
		if gpu, ok := strings.CutPrefix(word, "gpu: "); ok {
			r.GPU = gpu
			continue
		}
		r.With = append(r.With, word)
	}
	if r.GPU == "" {
		return nil, fmt.Errorf("%w: %s: no line of the head says \"# gpu: NAME\"", ErrRun, name)
	}
	if err := validate.ReadCSV(name, head, data, columns, r.take); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRun, err)
	}
	return r, nil
}

// take adds a row of the table to its case, which is the last or a new one.
func (r *Run) take(cells []string) error {
	cell := map[string]string{}
	number := map[string]uint64{}
	for i, column := range columns {
		cell[column] = cells[i]
		switch column {
		case "label", "type", "form", "median_us", "min_us", "max_us":
			continue
		}
		v, err := strconv.ParseUint(cells[i], 10, 64)
		if err != nil {
			return fmt.Errorf("%s %q is no whole number", column, cells[i])
		}
		number[column] = v
	}
	us, err := strconv.ParseFloat(cell["median_us"], 64)
	if err != nil || !(us > 0) || math.IsInf(us, 0) {
		return fmt.Errorf("median_us %q is no time", cell["median_us"])
	}
	call, err := callOf(cell["type"], number["width"])
	if err != nil {
		return fmt.Errorf("width %d: %w", call.Width, err)
	}
	c := Case{Label: cell["label"], Updates: number["updates"], Rows: number["rows"],
		Unique: number["unique"], MaxFrequency: number["max_frequency"], Type: cell["type"],
		Width: number["width"], call: call}
	if n := len(r.Cases); n == 0 || !r.Cases[n-1].same(&c) {
		c.US = map[Form]float64{}
		r.Cases = append(r.Cases, c)
	}
	last := &r.Cases[len(r.Cases)-1]
	form := Form{cell["form"], number["slots"]}
	if _, twice := last.US[form]; twice {
		return fmt.Errorf("%s of %d slots stands twice", form.Name, form.Slots)
	}
	last.US[form] = us
	if form.Name != pytorch {
		last.Wrong += number["wrong"]
	}
	return nil
}

func (c *Case) same(other *Case) bool {
	return c.Label == other.Label && c.Type == other.Type && c.Width == other.Width
}

// callOf is a call of a table, with values and targets of a type, or of one TO another: indices have 64 bits,
// and targets are kept.
func callOf(types string, width uint64) (device.Call, error) {
	values, targets, differ := strings.Cut(types, " to ")
	if !differ {
		targets = values
	}
	value, err := device.ParseElement(values)
	target, wrong := device.ParseElement(targets)
	c := device.Call{Type: device.Type(target), Values: device.Type(value), Width: width, IndexBytes: 8, Keeps: true}
	if width == 0 {
		wrong = fmt.Errorf("rows of no elements: %w", device.ErrCall)
	}
	return c, cmp.Or(err, wrong, c.Validate())
}

const (
	pytorch   = "torch.index_add_"
	automatic = "automatic"
)

// bestUS is the least time of atomtune's implementations, and the implementation.
func (c *Case) bestUS() (best Form, us float64) {
	us = math.Inf(1)
	for form, t := range c.US {
		if form.Name != pytorch && form.Name != automatic &&
			(t < us || t == us && form.Name < best.Name) {
			best, us = form, t
		}
	}
	return best, us
}

// floorUS is the time of each compulsory byte of the case once.
func (c *Case) floorUS(p *device.Profile) float64 {
	b, err := speedup.CompileAll(nil, p, c.call)
	if err != nil {
		panic(err) // take has checked the call
	}
	return b.Floor(&collision.Stats{Rows: &reuse.Stats{Positions: c.Updates, Updates: c.Updates, Rows: c.Rows,
		Unique: c.Unique}}).US
}
