package recordings

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/datasets/patterns"
)

// Scratchpad is what one warp's operations on shared memory took, pattern by pattern.
type Scratchpad struct {
	Patterns []patterns.Pattern
	Columns  []ScratchpadColumn
}

// ScratchpadColumn is one operation on every pattern, in SM cycles.
type ScratchpadColumn struct {
	Name    string    `json:"column"` // such as u32_add
	Cycles  []float64 `json:"cycles"` // as Value of a Reading
	Low     []float64 `json:"low"`    // least of the repeats
	High    []float64 `json:"high"`   // greatest of the repeats
	Repeats int       `json:"repeats"`
	Starts  int       `json:"starts,omitempty"` // 0 and 1 are one start
	Kernel  string    `json:"kernel"`
	// Instruction, Launch and Unroll are those of a Reading; empty and 0 where a file does not say.
	Instruction string `json:"instruction"`
	Launch      string `json:"launch"`
	Unroll      int    `json:"unroll"`
}

func (c ScratchpadColumn) key() string   { return c.Name }
func (c ScratchpadColumn) title() string { return "column " + c.Name }
func (c ScratchpadColumn) how() any {
	return fmt.Sprintf("by kernel %q, %q, launched as %q, unrolled by %d", c.Kernel, c.Instruction,
		c.Launch, c.Unroll)
}

func (s *Scratchpad) validate() error {
	if len(s.Patterns) == 0 || len(s.Columns) == 0 {
		return fmt.Errorf("%d patterns and %d columns", len(s.Patterns), len(s.Columns))
	}
	for i, p := range s.Patterns {
		if len(p) == 0 || len(p) != len(s.Patterns[0]) {
			return fmt.Errorf("pattern %d has %d lanes, the first %d", i+1, len(p), len(s.Patterns[0]))
		}
	}
	for k, c := range s.Columns {
		err := c.validate(len(s.Patterns))
		if s.column(c.Name) != &s.Columns[k] {
			err = fmt.Errorf("it stands twice")
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return nil
}

func (c *ScratchpadColumn) validate(rows int) error {
	switch {
	case c.Name == "" || strings.ContainsAny(c.Name, ", \n\r"):
		return fmt.Errorf("%q is not a name", c.Name)
	case strings.ContainsAny(c.Kernel, " \n\r"):
		return fmt.Errorf("%q is not a kernel's name", c.Kernel)
	case strings.ContainsAny(c.Instruction, ",\n\r") ||
		strings.Join(strings.Fields(c.Instruction), " ") != c.Instruction:
		return fmt.Errorf("%q is not a list of instructions", c.Instruction)
	case c.Unroll < 0:
		return fmt.Errorf("%d operations in a turn", c.Unroll)
	case len(c.Cycles) != rows || len(c.Low) != rows || len(c.High) != rows:
		return fmt.Errorf("%d medians, %d least and %d greatest values of %d patterns",
			len(c.Cycles), len(c.Low), len(c.High), rows)
	case c.Repeats < 1 || c.Starts < 0 || c.Starts > c.Repeats:
		return fmt.Errorf("%d repeats on %d starts", c.Repeats, c.Starts)
	}
	for i, v := range c.Cycles {
		if !(c.Low[i] > 0 && c.Low[i] <= v && v <= c.High[i]) || math.IsInf(c.High[i], 1) {
			return fmt.Errorf("pattern %d: %v cycles, least %v, greatest %v", i+1, v, c.Low[i], c.High[i])
		}
	}
	return validLaunch(c.Launch)
}

// EncodeScratchpad returns two files: the medians, one row a pattern, in the form of
// patterns.Measurements, and the least and greatest value wherever they differ. Errors wrap
// ErrRecording.
func EncodeScratchpad(p Provenance, s *Scratchpad) (cycles, spreads []byte, err error) {
	if err := s.validate(); err != nil {
		return nil, nil, fmt.Errorf("%w: %v", ErrRecording, err)
	}
	head, err := p.lines()
	if err != nil {
		return nil, nil, err
	}
	b := bytes.NewBufferString(head)
	var row []string
	for lane := range s.Patterns[0] {
		row = append(row, "lane"+strconv.Itoa(lane))
	}
	for _, c := range s.Columns {
		fmt.Fprintf(b, "# column: %s\n", c.describe())
		row = append(row, c.Name+"_cycles")
	}
	b.WriteString(strings.Join(row, ",") + "\n")
	var apart []spread
	for i, p := range s.Patterns {
		row = row[:0]
		for _, address := range p {
			row = append(row, strconv.Itoa(int(address)))
		}
		for _, c := range s.Columns {
			row = append(row, exact(c.Cycles[i]))
			if c.Low[i] != c.High[i] {
				apart = append(apart, spread{i + 1, c.Name, c.Low[i], c.High[i]})
			}
		}
		b.WriteString(strings.Join(row, ",") + "\n")
	}
	spreads, err = encodeTable(p, apart)
	return b.Bytes(), spreads, err
}

func (c *ScratchpadColumn) cells(r *row) {
	instruction := strings.ReplaceAll(c.Instruction, " ", ",")
	r.count("repeats", 0, &c.Repeats)
	r.count("starts", 0, &c.Starts)
	r.text("kernel", &c.Kernel)
	r.text("instruction", &instruction)
	r.text("launch", &c.Launch)
	r.count("unroll", 0, &c.Unroll)
	c.Instruction = strings.ReplaceAll(instruction, ",", " ")
}

// describe returns the text of a column's comment line:
//
//	NAME repeats=N starts=N kernel=K instruction=I,J launch=L unroll=N
//
// A file may lack the last three.
func (c *ScratchpadColumn) describe() string {
	var r row
	c.cells(&r)
	text := c.Name
	for i, key := range r.names {
		text += " " + key + "=" + r.cells[i]
	}
	return text
}

func (s *Scratchpad) takeDescription(text string) error {
	words, keys := strings.Fields(text), columns[ScratchpadColumn]()
	if n := len(words) - 1; n != len(keys)-3 && n != len(keys) {
		return fmt.Errorf("want a column and %s", strings.Join(keys, ", "))
	}
	c := s.column(words[0])
	if c == nil || c.Repeats > 0 {
		return fmt.Errorf("no column %s, or described twice", words[0])
	}
	r := row{reading: true, cells: []string{"", "", "", "", "", "0"}}
	for i, word := range words[1:] {
		key, value, ok := strings.Cut(word, "=")
		if !ok || key != keys[i] {
			return fmt.Errorf("%q, want %s=", word, keys[i])
		}
		r.cells[i] = value
	}
	c.cells(&r)
	return r.err
}

// ColumnInstructions returns what the PTX of each column's kernel does, by column, as far as the
// comment lines of measured patterns say. Errors give file and comment and wrap ErrRecording.
func ColumnInstructions(name string, m *patterns.Measurements) (map[string]string, error) {
	_, s, err := described(name, m)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, c := range s.Columns {
		if c.Instruction != "" {
			all[c.Name] = c.Instruction
		}
	}
	return all, nil
}

func described(name string, m *patterns.Measurements) (p Provenance, s *Scratchpad, err error) {
	s = &Scratchpad{Patterns: m.Patterns}
	for _, c := range m.Columns {
		s.Columns = append(s.Columns, ScratchpadColumn{Name: c.Name, Cycles: c.Cycles,
			Low: slices.Clone(c.Cycles), High: slices.Clone(c.Cycles)})
	}
	err = p.notes(name, m.Notes, s.takeDescription)
	return p, s, err
}

// DecodeScratchpad reads what EncodeScratchpad wrote: the medians, and unless it is nil, the file
// of least and greatest values. Both are read through gzip where they are so packed. Errors give
// file, line and value and wrap ErrRecording.
func DecodeScratchpad(
	name string, cycles []byte, spreadName string, spreads []byte,
) (p Provenance, s *Scratchpad, err error) {
	if cycles, err = Plain(name, cycles); err != nil {
		return p, nil, err
	}
	m, err := patterns.ReadMeasurements(bytes.NewReader(cycles), name, patterns.Words)
	if err != nil {
		return p, nil, fmt.Errorf("%w: %w", ErrRecording, err)
	}
	p, s, err = described(name, m)
	if err == nil && spreads != nil {
		err = s.takeSpreads(spreadName, spreads)
	}
	if err == nil {
		if fault := s.validate(); fault != nil {
			err = fmt.Errorf("%w: %s: %v", ErrRecording, name, fault)
		}
	}
	if err != nil {
		return Provenance{}, nil, err
	}
	return p, s, nil
}

func (s *Scratchpad) takeSpreads(name string, data []byte) error {
	_, all, head, err := decodeTable[spreadKey, spread](name, data)
	for i := 0; i < len(all) && err == nil; i++ {
		if fault := s.takeSpread(all[i]); fault != nil {
			err = broken(name, head+1+i, "%v", fault)
		}
	}
	return err
}

func (s *Scratchpad) column(name string) *ScratchpadColumn {
	for k := range s.Columns {
		if s.Columns[k].Name == name {
			return &s.Columns[k]
		}
	}
	return nil
}

// spread is the least and the greatest value of a pattern in a column where they differ.
type spread struct {
	row       int // from 1
	column    string
	low, high float64
}

func (s *spread) cells(r *row) {
	r.count("row", 1, &s.row)
	r.word("column", &s.column)
	r.number("low", &s.low)
	r.number("high", &s.high)
}

type spreadKey struct {
	row    int
	column string
}

func (s spread) key() spreadKey  { return spreadKey{s.row, s.column} }
func (s spread) title() string   { return fmt.Sprintf("row %d of column %s", s.row, s.column) }
func (s spread) validate() error { return nil }

func (s *Scratchpad) takeSpread(x spread) error {
	column, at := s.column(x.column), x.row-1
	switch {
	case at >= len(s.Patterns):
		return fmt.Errorf("row %d of %d", x.row, len(s.Patterns))
	case column == nil:
		return fmt.Errorf("no column %q", x.column)
	case !(x.low > 0 && x.low < x.high && x.low <= column.Cycles[at] && column.Cycles[at] <= x.high):
		return fmt.Errorf("row %d of column %s: least %v, greatest %v, median %v", x.row, x.column,
			x.low, x.high, column.Cycles[at])
	}
	column.Low[at], column.High[at] = x.low, x.high
	return nil
}
