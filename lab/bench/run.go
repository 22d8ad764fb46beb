// Package bench reads what bindings/cuda/bench/scatter.py measured on a GPU, the one call that chooses
// against PyTorch, CUB, plain atomics and every implementation, and says how they compare: a report with its
// statements, a table, and a figure of time over the floor.
//
// bindings/cuda/bench/README.md says how a table is measured. Packed as recorded/NAME.csv.gz it is shown in
// doc/results/BENCH.md; implementations that it lacks, of a later run with --only, are a table in
// recorded/further. "script/regenerate fixed" makes what "choose --deterministic" says of fixed point.
// The streams are bindings/cuda/bench/*.txt and those that real.py makes.
package bench

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/validate"
)

// ErrRun is wrapped by the errors of a table that is not one of a bench.
var ErrRun = errors.New("no table of a bench")

// Stream is one index stream, as far as the bench knows it.
type Stream struct {
	Group                 string // the folder that it came from
	Label                 string
	Updates, Bins, Unique uint64
	DistinctPerWarp       float64 // targets among 32 neighbouring updates, in the mean
	MaxFrequency          uint64  // updates of the most frequent target
}

// Place tells apart the times of one stream and kind of call.
type Place struct {
	Index          string // u32 or i64
	Implementation string
	Launch         string // empty where the implementation has its own
}

// Time is the time of one call in microseconds.
type Time struct {
	US, MinUS, MaxUS float64
	Repeats          int
	Chosen           string // the implementation and launch that the call ran, where it chooses
	Hidden           bool   // the host was ahead of the device
	Wrong            uint64 // targets
}

// Case is one stream and kind of call with all its times.
type Case struct {
	Stream
	Kind
	Times map[Place]Time
}

// Kind is what calls have in common: the type of the targets and what is added. Calls that add the
// constant 1 set the targets, the others add to the existing values.
type Kind struct {
	Type    device.Type
	Operand device.Operand
}

func (k Kind) String() string { return fmt.Sprintf("%s %s", k.Type, k.Operand) }

// Run is a table.
type Run struct {
	GPU     string
	With    []string // what it was measured with, NAME: VALUE each
	EmptyUS float64  // median time of an empty kernel
	Cases   []Case   // in the order of the table
	Further []Further
}

var columns = strings.Split("group,label,updates,bins,unique,distinct_per_warp,max_frequency,type,"+
	"value,index,implementation,launch,chosen,median_us,min_us,max_us,repeats,hidden,wrong", ",")

// Read reads a table, packed by gzip or not. Errors name file and line.
func Read(path string) (*Run, error) {
	data, err := wholefile.Read(path, wholefile.Most)
	if err != nil {
		return nil, err
	}
	if data, _, err = gzipped.Unpack(data, wholefile.Most); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return Decode(path, data)
}

// Decode reads a table, unpacked: lines that begin with #, then CSV. Errors name it.
func Decode(name string, data []byte) (*Run, error) {
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
	t := taker{run: r, cases: map[caseKey]int{}}
	if err := validate.ReadCSV(name, head, data, columns, t.take); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRun, err)
	}
	if len(t.empty) == 0 {
		return nil, fmt.Errorf("%w: %s: no time of an empty kernel", ErrRun, name)
	}
	r.EmptyUS = quantile.Of(t.empty, 0.5)
	return r, nil
}

type caseKey struct {
	group, label string
	Kind
}

// taker takes the rows of a table.
type taker struct {
	run   *Run
	cases map[caseKey]int
	empty []float64
}

func (t *taker) take(cells []string) error {
	c := row{cells: cells}
	s := Stream{Group: c.text("group"), Label: c.text("label"), Updates: c.count("updates"),
		Bins: c.count("bins"), Unique: c.count("unique"), DistinctPerWarp: c.number("distinct_per_warp"),
		MaxFrequency: c.count("max_frequency")}
	var k Kind
	c.keep(k.Type.UnmarshalText([]byte(c.text("type"))))
	c.keep(k.Operand.UnmarshalText([]byte(c.text("value"))))
	p := Place{c.text("index"), c.text("implementation"), c.text("launch")}
	v := Time{US: c.number("median_us"), MinUS: c.number("min_us"), MaxUS: c.number("max_us"),
		Repeats: int(c.count("repeats")), Chosen: c.text("chosen"), Hidden: c.count("hidden") == 1,
		Wrong: c.count("wrong")}
	if c.err == nil && (v.US <= 0 || v.MinUS > v.US || v.US > v.MaxUS || v.Repeats < 1) {
		c.err = fmt.Errorf("%v us between %v and %v of %d calls", v.US, v.MinUS, v.MaxUS, v.Repeats)
	}
	if c.err != nil {
		return c.err
	}
	return t.add(s, k, p, v)
}

func (t *taker) add(s Stream, k Kind, p Place, v Time) error {
	if p.Implementation == "empty" {
		t.empty = append(t.empty, v.US)
		return nil
	}
	key := caseKey{s.Group, s.Label, k}
	at, known := t.cases[key]
	if !known {
		at = len(t.run.Cases)
		t.cases[key] = at
		t.run.Cases = append(t.run.Cases, Case{s, k, map[Place]Time{}})
	}
	c := &t.run.Cases[at]
	if c.Stream != s {
		return fmt.Errorf("stream %s is described in two ways", s.Label)
	}
	if _, twice := c.Times[p]; twice {
		return fmt.Errorf("%s %s %s of %s is given twice", p.Implementation, p.Launch, p.Index, s.Label)
	}
	c.Times[p] = v
	return nil
}

// row reads the cells of a row and keeps the first error.
type row struct {
	cells []string
	err   error
}

func (r *row) keep(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *row) text(column string) string { return r.cells[slices.Index(columns, column)] }

func (r *row) count(column string) uint64 {
	v, err := strconv.ParseUint(r.text(column), 10, 64)
	if err != nil {
		r.keep(fmt.Errorf("%s %q is not a whole number", column, r.text(column)))
	}
	return v
}

func (r *row) number(column string) float64 {
	v, err := strconv.ParseFloat(r.text(column), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		r.keep(fmt.Errorf("%s %q is not a number from 0 on", column, r.text(column)))
	}
	return v
}
