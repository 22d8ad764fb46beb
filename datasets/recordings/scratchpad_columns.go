package recordings

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/datasets/patterns"
)

// describe returns the text of a column's comment line:
//
//	NAME repeats=N starts=N kernel=K instruction=I,J launch=L unroll=N
//
// A file may lack the last three.
func (c *ScratchpadColumn) describe() string {
	return fmt.Sprintf("%s repeats=%d starts=%d kernel=%s instruction=%s launch=%s unroll=%d",
		c.Name, c.Repeats, c.Starts,
		c.Kernel, strings.ReplaceAll(c.Instruction, " ", ","), c.Launch, c.Unroll)
}

// descriptionKeys are what a column's comment line says, in its order.
var descriptionKeys = []string{"repeats", "starts", "kernel", "instruction", "launch", "unroll"}

// keysOfOld is the number of keys that every file has.
const keysOfOld = 3

// takeDescription takes in what a comment line says of a column.
func (s *Scratchpad) takeDescription(text string) error {
	words := strings.Fields(text)
	if n := len(words) - 1; n != keysOfOld && n != len(descriptionKeys) {
		return fmt.Errorf("want a column and %s", strings.Join(descriptionKeys, ", "))
	}
	c := s.column(words[0])
	if c == nil || c.Repeats > 0 {
		return fmt.Errorf("no column %s, or described twice", words[0])
	}
	values := make([]string, len(descriptionKeys))
	for i, word := range words[1:] {
		key, value, ok := strings.Cut(word, "=")
		if !ok || key != descriptionKeys[i] {
			return fmt.Errorf("%q, want %s=", word, descriptionKeys[i])
		}
		values[i] = value
	}
	c.Kernel, c.Launch = values[2], values[4]
	c.Instruction = strings.ReplaceAll(values[3], ",", " ")
	numbers := []int{0, 1}
	if len(words) > 1+keysOfOld {
		numbers = append(numbers, 5)
	}
	return c.takeCounts(numbers, values)
}

// takeCounts reads those of the values that are counts.
func (c *ScratchpadColumn) takeCounts(at []int, values []string) error {
	to := []*int{&c.Repeats, &c.Starts, &c.Unroll}
	for k, i := range at {
		n, err := strconv.Atoi(values[i])
		if err != nil || n < 0 || strconv.Itoa(n) != values[i] {
			return fmt.Errorf("%s=%s is no count", descriptionKeys[i], values[i])
		}
		*to[k] = n
	}
	return nil
}

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
