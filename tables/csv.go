package tables

import (
	"bytes"
	"encoding/csv"
	"strconv"
)

var cellHeader = []string{
	"device", "type", "value", "arrangement", "level", "targets", "warp_level",
	"clustered_fraction", "max_frequency", "implementation", "predicted_us",
	"speedup_over_naive", "second", "second_margin", "rival", "rival_margin", "stream",
}

// CSV returns all cells, one a line.
func (doc *Document) CSV() ([]byte, error) {
	lines := [][]string{cellHeader}
	for _, t := range doc.Tables {
		for column := range doc.Columns {
			for row := range t.Rows {
				if c := t.Rows[row][column]; c != nil {
					lines = append(lines, doc.cellLine(&t, c))
				}
			}
		}
	}
	return encode(lines)
}

func (doc *Document) cellLine(t *Table, c *Cell) []string {
	line := doc.about(t, c.Stream)
	s := doc.Streams[c.Stream]
	line = append(line, decimal(s.WarpLevel), decimal(s.ClusteredFraction),
		strconv.FormatUint(s.MaxFrequency, 10),
		c.Implementation.String(), decimal(c.PredictedUS), optional(c.SpeedupOverNaive))
	for _, b := range []*Behind{c.Second, c.Rival} {
		if b == nil {
			line = append(line, "", "")
		} else {
			line = append(line, b.Implementation.String(), decimal(b.Margin))
		}
	}
	return append(line, s.Spec)
}

var breakEvenHeader = []string{
	"device", "type", "value", "arrangement", "level",
	"last_targets", "last_implementation", "last_margin",
	"first_targets", "first_implementation", "first_margin", "last_stream", "first_stream",
}

// BreakEvenCSV returns all break-even points, one a line.
func (doc *Document) BreakEvenCSV() ([]byte, error) {
	lines := [][]string{breakEvenHeader}
	for _, t := range doc.Tables {
		for _, b := range t.BreakEvens {
			line := doc.about(&t, b.Last.Stream)[:5]
			for _, s := range []Side{b.Last, b.First} {
				line = append(line, strconv.FormatUint(s.Targets, 10), s.Implementation.String(),
					optional(s.Margin))
			}
			lines = append(lines, append(line, doc.Streams[b.Last.Stream].Spec,
				doc.Streams[b.First.Stream].Spec))
		}
	}
	return encode(lines)
}

// about returns the columns that say what a line is about: device, type, value,
// arrangement, level, targets.
func (doc *Document) about(t *Table, stream int) []string {
	s := doc.Streams[stream]
	c := doc.Columns[s.Column]
	level := ""
	if c.Level > 0 {
		level = decimal(c.Level)
	}
	return []string{t.Device, t.Type.String(), doc.Value.String(), string(c.Arrangement), level,
		strconv.FormatUint(s.Targets, 10)}
}

func encode(lines [][]string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	err := w.WriteAll(lines)
	return b.Bytes(), err
}

// decimal prints a number in full, with as few digits as it has.
func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// optional prints nothing for nil.
func optional(x *float64) string {
	if x == nil {
		return ""
	}
	return decimal(*x)
}
