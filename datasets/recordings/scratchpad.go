package recordings

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/datasets/patterns"
)

// Scratchpad is what one warp's operations on shared memory took, pattern by
// pattern.
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
	// Instruction, Launch and Unroll are those of a Reading; empty and 0 where a
	// file does not say.
	Instruction string `json:"instruction"`
	Launch      string `json:"launch"`
	Unroll      int    `json:"unroll"`
}

// Measurements returns the medians as package patterns holds them; the number
// of a pattern, from 1, stands for its line.
func (s *Scratchpad) Measurements() *patterns.Measurements {
	m := &patterns.Measurements{Lanes: patterns.Lanes, Patterns: s.Patterns}
	if len(s.Patterns) > 0 {
		m.Lanes = len(s.Patterns[0])
	}
	for i := range s.Patterns {
		m.Lines = append(m.Lines, i+1)
	}
	for _, c := range s.Columns {
		m.Columns = append(m.Columns, patterns.Column{Name: c.Name, Cycles: c.Cycles})
	}
	return m
}

func (s *Scratchpad) validate() error {
	if len(s.Patterns) == 0 || len(s.Columns) == 0 {
		return fmt.Errorf("%d patterns and %d columns", len(s.Patterns), len(s.Columns))
	}
	for i, p := range s.Patterns {
		if len(p) == 0 || len(p) != len(s.Patterns[0]) {
			return fmt.Errorf("pattern %d has %d lanes, the first %d", i+1, len(p),
				len(s.Patterns[0]))
		}
	}
	seen := map[string]bool{}
	for _, c := range s.Columns {
		if seen[c.Name] {
			return fmt.Errorf("column %s stands twice", c.Name)
		}
		seen[c.Name] = true
		if err := c.validate(len(s.Patterns)); err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return nil
}

func (c *ScratchpadColumn) validate(rows int) error {
	switch {
	case c.Name == "" || strings.ContainsAny(c.Name, ", \n\r"):
		return fmt.Errorf("%q is no name", c.Name)
	case strings.ContainsAny(c.Kernel, " \n\r"):
		return fmt.Errorf("%q is no kernel's name", c.Kernel)
	case strings.ContainsAny(c.Instruction, ",\n\r") ||
		strings.Join(strings.Fields(c.Instruction), " ") != c.Instruction:
		return fmt.Errorf("%q is no list of instructions", c.Instruction)
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
			return fmt.Errorf("pattern %d: %v cycles, least %v, greatest %v", i+1, v, c.Low[i],
				c.High[i])
		}
	}
	return validLaunch(c.Launch)
}

var spreadColumns = []string{"row", "column", "low", "high"}

// EncodeScratchpad returns two files: the medians, one row a pattern, in the
// form of patterns.Measurements, and the least and greatest value wherever
// they differ. Errors wrap ErrRecording.
func EncodeScratchpad(p Provenance, s *Scratchpad) (cycles, spread []byte, err error) {
	if err := s.validate(); err != nil {
		return nil, nil, fmt.Errorf("%w: %v", ErrRecording, err)
	}
	head, err := p.lines()
	if err != nil {
		return nil, nil, err
	}
	b := bytes.NewBufferString(head)
	for _, c := range s.Columns {
		fmt.Fprintf(b, "# column: %s\n", c.describe())
	}
	s.writeCycles(b)
	var rows [][]string
	for i := range s.Patterns {
		for _, c := range s.Columns {
			if c.Low[i] != c.High[i] {
				rows = append(rows, []string{strconv.Itoa(i + 1), c.Name, exact(c.Low[i]),
					exact(c.High[i])})
			}
		}
	}
	spread, err = encodeTable(p, spreadColumns, rows)
	return b.Bytes(), spread, err
}

func (s *Scratchpad) writeCycles(b *bytes.Buffer) {
	for lane := range s.Patterns[0] {
		fmt.Fprintf(b, "lane%d,", lane)
	}
	for k, c := range s.Columns {
		fmt.Fprintf(b, "%s_cycles%s", c.Name, separator(k, len(s.Columns)))
	}
	for i, p := range s.Patterns {
		for _, address := range p {
			b.WriteString(strconv.Itoa(int(address)))
			b.WriteByte(',')
		}
		for k, c := range s.Columns {
			b.WriteString(exact(c.Cycles[i]))
			b.WriteString(separator(k, len(s.Columns)))
		}
	}
}

func separator(k, n int) string {
	if k == n-1 {
		return "\n"
	}
	return ","
}
