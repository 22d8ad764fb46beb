// Package rows reads what bindings/cuda/bench/rows.py measured on a GPU, the call that updates rows against
// PyTorch's index_add_ and against its own implementations, and says how they compare.
//
// After a change of the simulator or of a profile, remove recorded/NAME_simulated.csv and run
// "script/regenerate row-calls"; after a change of prices alone, "script/regenerate rows".
package rows

import (
	"math"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/collision/reuse"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/speedup"
)

// Form is a way to make the updates, as the table names it.
type Form = recordings.RowForm

// Case is one stream with rows of one type and width.
type Case struct {
	*recordings.RowScatter // the first of the case
	US                     map[Form]float64
	Wrong                  uint64 // elements, of implementations other than PyTorch's
}

// Run is a table of one GPU.
type Run struct {
	GPU   string
	With  []string // what it was measured with, NAME: VALUE each
	Cases []Case   // in the order of the table
}

// Read reads a table, packed by gzip or not. Errors name file and line.
func Read(path string) (*Run, error) {
	data, err := wholefile.Read(path, wholefile.Most)
	if err == nil {
		data, err = recordings.Plain(path, data)
	}
	if err != nil {
		return nil, err
	}
	return decode(path, data)
}

// decode reads a table: lines that begin with #, then CSV.
func decode(name string, data []byte) (*Run, error) {
	gpu, all, err := recordings.DecodeRows(name, data)
	if err != nil {
		return nil, err
	}
	r := &Run{GPU: gpu}
	for line := range strings.Lines(string(data)) {
		word, note := strings.CutPrefix(line, "#")
		if !note {
			break
		}
		if word = strings.TrimSpace(word); !strings.HasPrefix(word, "gpu: ") {
			r.With = append(r.With, word)
		}
	}
	for i := range all {
		s := &all[i]
		if n := len(r.Cases); n == 0 || r.Cases[n-1].Label != s.Label || r.Cases[n-1].Call != s.Call {
			r.Cases = append(r.Cases, Case{RowScatter: s, US: map[Form]float64{}})
		}
		last := &r.Cases[len(r.Cases)-1]
		if last.US[s.Form] = s.MedianUS; s.Form.Name != recordings.PyTorch {
			last.Wrong += s.Wrong
		}
	}
	return r, nil
}

// bestUS is the least time of atomtune's implementations, and the implementation.
func (c *Case) bestUS() (best Form, us float64) {
	us = math.Inf(1)
	for form, t := range c.US {
		if form.IsImplementation() &&
			(t < us || t == us && form.Name < best.Name) {
			best, us = form, t
		}
	}
	return best, us
}

// floorUS is the time of each compulsory byte of the case once.
func (c *Case) floorUS(p *device.Profile) float64 {
	b, err := speedup.CompileAll(nil, p, c.Call)
	if err != nil {
		panic(err) // it was checked the call
	}
	return b.Floor(&collision.Stats{Rows: &reuse.Stats{Positions: c.Updates, Updates: c.Updates, Rows: c.Rows,
		Unique: c.Unique}}).US
}
