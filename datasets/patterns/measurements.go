package patterns

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// ErrMeasurement is wrapped by errors about measured cycles.
var ErrMeasurement = errors.New("malformed measurement")

// Measurements are patterns with what each took, in one or several columns.
type Measurements struct {
	Lanes    int
	Patterns []Pattern
	Lines    []int // of each pattern in the file
	Columns  []Column
	Notes    []string // the comment lines, without their #
}

// Column is the cycles of each pattern under one operation.
type Column struct {
	Name   string // `cycles`, or the operation before `_cycles`
	Cycles []float64
}

// Column returns the column of that name.
func (m *Measurements) Column(name string) (Column, error) {
	var names []string
	for _, c := range m.Columns {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	return Column{}, fmt.Errorf("%w: no column %q (the columns are %s)", ErrMeasurement, name,
		strings.Join(names, ", "))
}

// Half returns about half of the measurements, one part to fit and the other to judge. A hash of
// the row's number decides, so that no regularity in the order of the rows divides them.
func (m *Measurements) Half(judging bool) *Measurements {
	half := &Measurements{Lanes: m.Lanes, Notes: m.Notes}
	for _, c := range m.Columns {
		half.Columns = append(half.Columns, Column{Name: c.Name})
	}
	for i := range m.Patterns {
		if judges := splitmix.New(uint64(i)).Uint64()>>63 != 0; judges != judging {
			continue
		}
		half.Patterns = append(half.Patterns, m.Patterns[i])
		half.Lines = append(half.Lines, m.Lines[i])
		for c := range m.Columns {
			half.Columns[c].Cycles = append(half.Columns[c].Cycles, m.Columns[c].Cycles[i])
		}
	}
	return half
}

// ReadMeasurements reads comma-separated rows: one word address per lane, -1 for an inactive one,
// and then the cycles that the pattern took. Lines that begin with # are notes. A first row that
// is not a number names the columns: one per lane, and then `cycles`, or several columns
// NAME_cycles; without it there are 32 lanes and one column. Addresses lie below words. Errors
// give name, line and value and wrap ErrPattern or ErrMeasurement.
func ReadMeasurements(r io.Reader, name string, words int) (*Measurements, error) {
	m := &Measurements{Lanes: Lanes, Columns: []Column{{Name: "cycles"}}}
	begun := false
	err := scan(r, name, ErrMeasurement, func(line int, text string) error {
		if note, ok := strings.CutPrefix(text, "#"); ok {
			m.Notes = append(m.Notes, strings.TrimSpace(note))
			return nil
		}
		fields := strings.Split(text, ",")
		if !begun && isHeader(fields) {
			begun = true
			return m.header(fields)
		}
		begun = true
		return m.row(fields, line, words)
	})
	if err != nil {
		return nil, err
	}
	if len(m.Patterns) == 0 {
		return nil, fmt.Errorf("%s: %w: the file holds no measurement", name, ErrMeasurement)
	}
	return m, nil
}

func isHeader(fields []string) bool {
	first := strings.TrimSpace(fields[0])
	return first != "" && (first[0] >= 'a' && first[0] <= 'z' || first[0] >= 'A' && first[0] <= 'Z')
}

func (m *Measurements) header(fields []string) error {
	m.Lanes, m.Columns = 0, nil
	for _, field := range fields {
		field = strings.TrimSpace(field)
		operation, measured := strings.CutSuffix(field, "_cycles")
		switch {
		case field == "cycles" || measured:
			if operation == "" || slices.ContainsFunc(m.Columns,
				func(c Column) bool { return c.Name == operation }) {
				return fmt.Errorf("%w: column name %q is empty or repeated", ErrMeasurement, field)
			}
			m.Columns = append(m.Columns, Column{Name: operation})
		case len(m.Columns) == 0:
			m.Lanes++
		default:
			return fmt.Errorf("%w: column %q comes after the cycles", ErrMeasurement, field)
		}
	}
	if m.Lanes == 0 || m.Lanes > 64 || len(m.Columns) == 0 {
		return fmt.Errorf("%w: %d columns of lanes and %d of cycles, want one for each lane and then `cycles`",
			ErrMeasurement, m.Lanes, len(m.Columns))
	}
	return nil
}

// What an operation of a warp can take.
const (
	leastCycles = 1e-3
	mostCycles  = 1e12
)

func (m *Measurements) row(fields []string, line, words int) error {
	if want := m.Lanes + len(m.Columns); len(fields) != want {
		return fmt.Errorf("%w: fields: %d, want %d (%d addresses, then cycles)", ErrMeasurement,
			len(fields), want, m.Lanes)
	}
	p, err := Parse(fields[:m.Lanes], m.Lanes, words)
	if err != nil {
		return err
	}
	if slices.Max(p) == Inactive {
		return fmt.Errorf("%w: no lane is active", ErrMeasurement)
	}
	for c := range m.Columns {
		field := strings.TrimSpace(fields[m.Lanes+c])
		v, err := strconv.ParseFloat(field, 64)
		switch {
		case err != nil || !(v > 0):
			return fmt.Errorf("%w: %s: %q is not a positive number of cycles", ErrMeasurement,
				m.Columns[c].Name, field)
		case v < leastCycles || v > mostCycles:
			return fmt.Errorf("%w: %s: %s cycles, want %g to %g", ErrMeasurement, m.Columns[c].Name,
				field, leastCycles, mostCycles)
		}
		m.Columns[c].Cycles = append(m.Columns[c].Cycles, v)
	}
	m.Patterns = append(m.Patterns, p)
	m.Lines = append(m.Lines, line)
	return nil
}
