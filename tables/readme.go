package tables

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"text/template"
)

//go:embed readme.md
var readme string

var readmeTemplate = template.Must(template.New("readme").Parse(readme))

// Readme returns, as Markdown, how to read the tables and what they stand on.
func (doc *Document) Readme() ([]byte, error) {
	type named struct{ Name, Title string }
	var devices []named
	for _, name := range doc.Devices() {
		for _, t := range doc.Tables {
			if t.Device == name {
				devices = append(devices, named{name, t.Title})
				break
			}
		}
	}
	var columns bytes.Buffer
	grid(&columns, doc.reached())
	var b bytes.Buffer
	err := readmeTemplate.Execute(&b, struct {
		Devices         []named
		Updates, Adding string
		Streams         string
		Columns         string
		Sample          string
		RowFactor       int
	}{devices, count(uint64(doc.Updates)), adding(doc.Value), count(uint64(len(doc.Streams))),
		columns.String(), doc.sample(), 1 << rowStep})
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	return b.Bytes(), nil
}

// sample returns the first cell of the last rows that has all there is to show.
func (doc *Document) sample() string {
	for _, t := range doc.Tables {
		for row := range slices.Backward(t.Rows) {
			for _, c := range t.Rows[row] {
				if c != nil && c.Rival != nil && c.SpeedupOverNaive != nil && *c.SpeedupOverNaive > 1 {
					return cellText(c)
				}
			}
		}
	}
	return cellText(doc.Tables[0].Rows[0][0])
}

// reached says of each column which levels and which shares of equal neighbours
// its streams have.
func (doc *Document) reached() [][]string {
	lines := [][]string{{"column", "streams", "level in a warp", "clustered fraction"}}
	for i, c := range doc.Columns {
		level, clustered, n := newSpan(), newSpan(), 0
		for _, s := range doc.Streams {
			if s.Column == i {
				level.add(s.WarpLevel)
				clustered.add(s.ClusteredFraction)
				n++
			}
		}
		lines = append(lines, []string{c.String(), count(uint64(n)), level.String(), clustered.String()})
	}
	return lines
}

// span is a range of values.
type span struct{ low, high float64 }

func newSpan() span { return span{math.Inf(1), math.Inf(-1)} }

func (s *span) add(x float64) { s.low, s.high = min(s.low, x), max(s.high, x) }

func (s *span) String() string { return fmt.Sprintf("%.3f to %.3f", s.low, s.high) }
