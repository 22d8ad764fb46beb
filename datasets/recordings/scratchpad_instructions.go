package recordings

import (
	"fmt"
	"strings"

	"github.com/atomtune/atomtune/datasets/patterns"
)

// ColumnInstructions returns what the PTX of each column's kernel does, by
// column, as far as the comment lines of measured patterns say. Errors give file
// and comment and wrap ErrRecording.
func ColumnInstructions(name string, m *patterns.Measurements) (map[string]string, error) {
	var s Scratchpad
	for _, c := range m.Columns {
		s.Columns = append(s.Columns, ScratchpadColumn{Name: c.Name})
	}
	for _, note := range m.Notes {
		text, ok := strings.CutPrefix(note, "column:")
		if !ok {
			continue
		}
		if err := s.takeDescription(text); err != nil {
			return nil, fmt.Errorf("%w: %s: comment %q: %v", ErrRecording, name, note, err)
		}
	}
	all := map[string]string{}
	for _, c := range s.Columns {
		if c.Instruction != "" {
			all[c.Name] = c.Instruction
		}
	}
	return all, nil
}
