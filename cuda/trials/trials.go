// Package trials reads what the trials of cuda/trials measured on a GPU and writes it as tables.
package trials

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Bare is the name of the implementation alone, in the launch of the ways and without a decision.
const Bare = "bare"

// Row is the time of one way to make a call with a stream of uniform targets.
type Row struct {
	Way, Mode          string // Mode is stream or graph
	Kernels, Registers int    // launches of a call; per thread, the most of its kernels
	Updates, Bins      int
	Time, Over, Host   float64 // us: the call's, that over the bare implementation's, the host's
}

// Run is what one run of dispatch_ways printed.
type Run struct {
	Machine string // GPU and versions
	Rows    []Row
}

var header = []string{"way", "mode", "kernels", "registers", "n", "bins", "us", "us_over_base",
	"host_us"}

// rounding is how far a difference of two times may be off that are printed to 0.01 us.
const rounding = 0.0151

// Decode reads a run. The row of each way stands after one of the bare implementation, which was measured
// right before it. An error names the file, the line and the value.
func Decode(file string, r io.Reader) (Run, error) {
	buffered := bufio.NewReader(r)
	first, err := buffered.ReadString('\n')
	machine, ok := strings.CutPrefix(strings.TrimSpace(first), "# ")
	if !ok || err != nil {
		return Run{}, fmt.Errorf("%s:1: %q is not a line of the machine", file, first)
	}
	run := Run{Machine: machine}
	rows := csv.NewReader(buffered)
	rows.FieldsPerRecord = len(header)
	for {
		fields, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return run, nil
		}
		if err != nil {
			return Run{}, fmt.Errorf("%s: after line 1: %w", file, err)
		}
		line, _ := rows.FieldPos(0)
		line++ // the machine's
		if line == 2 {
			if !slices.Equal(fields, header) {
				return Run{}, fmt.Errorf("%s:2: columns %q, not %q", file, fields, header)
			}
			continue
		}
		row, err := decodeRow(fields)
		if err == nil {
			err = row.follows(run.Rows)
		}
		if err != nil {
			return Run{}, fmt.Errorf("%s:%d: %w", file, line, err)
		}
		run.Rows = append(run.Rows, row)
	}
}

func decodeRow(fields []string) (Row, error) {
	row := Row{Way: fields[0], Mode: fields[1]}
	if row.Mode != "stream" && row.Mode != "graph" {
		return Row{}, fmt.Errorf("mode %q is neither stream nor graph", row.Mode)
	}
	if row.Way != Bare && find(row.Way) < 0 {
		return Row{}, fmt.Errorf("unknown way %q", row.Way)
	}
	for i, to := range []*int{&row.Kernels, &row.Registers, &row.Updates, &row.Bins} {
		n, err := strconv.Atoi(fields[2+i])
		if err != nil || n <= 0 {
			return Row{}, fmt.Errorf("%s %q is not a number above 0", header[2+i], fields[2+i])
		}
		*to = n
	}
	for i, to := range []*float64{&row.Time, &row.Over, &row.Host} {
		us, err := strconv.ParseFloat(fields[6+i], 64)
		if err != nil || math.IsNaN(us) || math.IsInf(us, 0) || us <= 0 && to != &row.Over {
			return Row{}, fmt.Errorf("%s %q is not a time", header[6+i], fields[6+i])
		}
		*to = us
	}
	return row, nil
}

// follows checks that the row's difference is that from the bare implementation before it.
func (r Row) follows(before []Row) error {
	base := r
	if r.Way != Bare {
		if len(before) == 0 || before[len(before)-1].Way != Bare ||
			before[len(before)-1].place() != r.place() {
			return fmt.Errorf("%s was not measured after the bare form", r.Way)
		}
		base = before[len(before)-1]
	}
	if math.Abs(r.Time-base.Time-r.Over) > rounding {
		return fmt.Errorf("%.2f us are not %.2f us more than %.2f us", r.Time, r.Over, base.Time)
	}
	return nil
}

// place is under what circumstances a row was measured.
type place struct {
	mode          string
	updates, bins int
}

func (r Row) place() place { return place{r.Mode, r.Updates, r.Bins} }

// places lists the circumstances of a mode's rows, short streams first.
func (run Run) places(mode string) []place {
	seen := map[place]bool{}
	for _, r := range run.Rows {
		if r.Mode == mode {
			seen[r.place()] = true
		}
	}
	var all []place
	for p := range seen {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.updates, b.updates), cmp.Compare(a.bins, b.bins))
	})
	return all
}

// of returns the rows of a way in a mode.
func (run Run) of(way, mode string) []Row {
	var rows []Row
	for _, r := range run.Rows {
		if r.Way == way && r.Mode == mode {
			rows = append(rows, r)
		}
	}
	return rows
}

// median is the middle of the values, or the mean of the two in the middle.
func median(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

func collect(rows []Row, of func(Row) float64) []float64 {
	var values []float64
	for _, r := range rows {
		values = append(values, of(r))
	}
	return values
}
