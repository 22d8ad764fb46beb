package recordings

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/datasets/patterns"
)

// DecodeScratchpad reads what EncodeScratchpad wrote: the medians, and unless
// it is nil, the file of least and greatest values. Both are read through gzip
// where they are so packed. Errors give file, line and value and wrap
// ErrRecording.
func DecodeScratchpad(name string, cycles []byte, spreadName string, spread []byte) (Provenance,
	*Scratchpad, error) {
	p, s, err := decodeCycles(name, cycles)
	if err != nil {
		return Provenance{}, nil, err
	}
	if spread != nil {
		if err := s.readSpread(spreadName, spread); err != nil {
			return Provenance{}, nil, err
		}
	}
	if err := s.validate(); err != nil {
		return Provenance{}, nil, fmt.Errorf("%w: %s: %v", ErrRecording, name, err)
	}
	return p, s, nil
}

func decodeCycles(name string, data []byte) (Provenance, *Scratchpad, error) {
	data, err := Plain(name, data)
	if err != nil {
		return Provenance{}, nil, err
	}
	m, err := patterns.ReadMeasurements(bytes.NewReader(data), name, patterns.Words)
	if err != nil {
		return Provenance{}, nil, fmt.Errorf("%w: %w", ErrRecording, err)
	}
	s := &Scratchpad{Patterns: m.Patterns}
	for _, c := range m.Columns {
		s.Columns = append(s.Columns, ScratchpadColumn{
			Name: c.Name, Cycles: c.Cycles, Low: slices.Clone(c.Cycles), High: slices.Clone(c.Cycles)})
	}
	var p Provenance
	for _, note := range m.Notes {
		taken, err := p.note(note)
		if text, ok := strings.CutPrefix(note, "column:"); ok && !taken && err == nil {
			err = s.takeDescription(text)
		}
		if err != nil {
			return Provenance{}, nil, fmt.Errorf("%w: %s: comment %q: %v", ErrRecording, name, note,
				err)
		}
	}
	return p, s, nil
}

func (s *Scratchpad) column(name string) *ScratchpadColumn {
	for k := range s.Columns {
		if s.Columns[k].Name == name {
			return &s.Columns[k]
		}
	}
	return nil
}

// readSpread takes in least and greatest values.
func (s *Scratchpad) readSpread(name string, data []byte) error {
	_, t, err := decodeTable(name, data, spreadColumns)
	if err != nil {
		return err
	}
	for i, row := range t.rows {
		c := cells{row: row}
		at, title, low, high := c.count("row",
			1)-1, c.name("column"), c.number("low"), c.number("high")
		column := s.column(title)
		switch {
		case c.err != nil:
		case at >= len(s.Patterns):
			c.fail("row %d of %d", at+1, len(s.Patterns))
		case column == nil:
			c.fail("no column %q", title)
		case column.Low[at] != column.High[at]:
			c.fail("row %d of column %s stands twice", at+1, title)
		case !(low > 0 && low < high && low <= column.Cycles[at] && column.Cycles[at] <= high):
			c.fail("row %d of column %s: least %v, greatest %v, median %v", at+1, title, low, high,
				column.Cycles[at])
		default:
			column.Low[at], column.High[at] = low, high
		}
		if c.err != nil {
			return broken(name, t.lines[i], "%v", c.err)
		}
	}
	return nil
}
