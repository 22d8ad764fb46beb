package h200

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

//go:embed calls.csv.gz
var callsFile []byte

//go:embed heldout.csv.gz
var heldOutFile []byte

// Call is one implementation on one stream for one kind of call.
type Call struct {
	// Label names the stream as Streams does: a datasets/synth spec, or the
	// name of a file.
	Label          string
	Updates        uint64
	Bins           uint64
	Call           device.Call
	Implementation variant.Variant
	MedianUS       float64 // over the repeats
	MinUS          float64 // the least of the repeats
	Repeats        int
	// Blocks, Threads per block and SharedBytes per block are the launch of the
	// main kernel; all are 0 where the library that sorts chooses.
	Blocks, Threads uint64
	SharedBytes     uint64
}

var callsHeader = []string{
	"label", "updates", "bins", "type", "value", "implementation", "median_us", "min_us",
	"repeats", "correct", "blocks", "threads", "dynamic_shared_bytes", "gpu", "driver", "date",
}

// Calls returns all recorded calls in the order of their recording. Errors wrap
// ErrRecording.
func Calls() ([]Call, error) { return unpackCalls(callsFile, "calls.csv.gz") }

// HeldOutCalls returns calls that were recorded when profile, closed forms and
// simulator stood, on streams and types that none of them had seen. They are
// for judging alone: nothing may be calibrated on them.
func HeldOutCalls() ([]Call, error) { return unpackCalls(heldOutFile, "heldout.csv.gz") }

func unpackCalls(packed []byte, name string) ([]Call, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %v", ErrRecording, name, err)
	}
	return decodeCalls(unpacked, name)
}

func decodeCalls(r io.Reader, name string) ([]Call, error) {
	rows, err := readRows(r, name, callsHeader)
	if err != nil {
		return nil, err
	}
	type key struct {
		label string
		call  device.Call
		v     variant.Variant
	}
	seen := map[key]bool{}
	calls := make([]Call, len(rows))
	for i, row := range rows {
		c, err := parseCall(row)
		k := key{c.Label, c.Call, c.Implementation}
		if err == nil && seen[k] {
			err = fmt.Errorf("%s on %s stands twice", c.Implementation, c.Label)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s:%d: %v", ErrRecording, name, i+2, err)
		}
		seen[k] = true
		calls[i] = c
	}
	return calls, nil
}

// readRows returns the rows below the header, which must be as given.
func readRows(r io.Reader, name string, header []string) ([][]string, error) {
	read := csv.NewReader(r)
	read.FieldsPerRecord, read.Comment = len(header), '#'
	rows, err := read.ReadAll()
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %s: %v", ErrRecording, name, err)
	case len(rows) < 2 || !slices.Equal(rows[0], header):
		return nil, fmt.Errorf("%w: %s:1: no header %s with rows below", ErrRecording, name, strings.Join(header, ","))
	}
	return rows[1:], nil
}

// parseCall reads one row. Commas of a label stand as semicolons in the file.
func parseCall(row []string) (Call, error) {
	p := parser{}
	c := Call{Label: strings.ReplaceAll(row[0], ";", ",")}
	c.Updates, c.Bins = p.count(row[1]), p.count(row[2])
	c.Call.Type = parsed(&p, row[3], device.ParseType)
	c.Call.Operand = parsed(&p, row[4], device.ParseOperand)
	c.Implementation = parsed(&p, row[5], variant.Parse)
	c.MedianUS, c.MinUS = p.positive(row[6]), p.positive(row[7])
	c.Repeats = int(p.count(row[8]))
	if row[10] != "" {
		c.Blocks, c.Threads, c.SharedBytes = p.count(row[10]), p.count(row[11]), p.natural(row[12])
	}
	switch {
	case p.err != nil:
		return c, p.err
	case c.Label == "":
		return c, fmt.Errorf("no label")
	case row[9] != "1":
		return c, fmt.Errorf("correct = %q, only correct calls have a time", row[9])
	case c.MinUS > c.MedianUS:
		return c, fmt.Errorf("the least time %v exceeds the median %v", c.MinUS, c.MedianUS)
	case row[10] == "" && (row[11] != "" || row[12] != ""):
		return c, fmt.Errorf("threads without blocks")
	}
	return c, nil
}

// parser keeps the first error.
type parser struct{ err error }

func parsed[T any](p *parser, text string, parse func(string) (T, error)) T {
	v, err := parse(text)
	if p.err == nil {
		p.err = err
	}
	return v
}

func (p *parser) natural(text string) uint64 {
	return parsed(p, text, func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 62) })
}

func (p *parser) count(text string) uint64 {
	n := p.natural(text)
	if p.err == nil && n == 0 {
		p.err = fmt.Errorf("a count of 0")
	}
	return n
}

func (p *parser) positive(text string) float64 {
	x := parsed(p, text, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
	if p.err == nil && !(x > 0 && !math.IsInf(x, 1)) {
		p.err = fmt.Errorf("%v is no positive number", x)
	}
	return x
}
