package tables

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/atomtune/atomtune/device"
)

// Markdown returns the tables of a device, a section for each type.
func (doc *Document) Markdown(device string) []byte {
	var b bytes.Buffer
	var before []*Table
	for i := range doc.Tables {
		t := &doc.Tables[i]
		if t.Device != device {
			continue
		}
		if len(before) == 0 {
			fmt.Fprintf(&b, "# %s (`%s`): which implementation is fastest\n\n", t.Title, t.Device)
			fmt.Fprintf(&b, "%s updates a call, each %s; predicted times. Made by `atomtune tables`; "+
				"[README.md](README.md) says how to read it.\n", count(uint64(doc.Updates)), adding(doc.Value))
		}
		doc.section(&b, t, before)
		before = append(before, t)
	}
	return b.Bytes()
}

// adding says what each update adds.
func adding(o device.Operand) string {
	if o == device.One {
		return "adding 1"
	}
	return "adding a value loaded from memory"
}

// section writes a table; one that does not differ from an earlier one refers
// to it.
func (doc *Document) section(b *bytes.Buffer, t *Table, before []*Table) {
	fmt.Fprintf(b, "\n## %s\n", t.Type)
	for _, w := range t.Warnings {
		fmt.Fprintf(b, "\nWarning: %s.\n", w)
	}
	for _, other := range before {
		if reflect.DeepEqual(t.Rows, other.Rows) && reflect.DeepEqual(t.BreakEvens, other.BreakEvens) {
			fmt.Fprintf(b, "\nEvery cell is that of %s.\n", other.Type)
			return
		}
	}
	for first := 0; first < len(doc.Columns); {
		next := first + 1
		for next < len(doc.Columns) && together(doc.Columns[first], doc.Columns[next]) {
			next++
		}
		doc.part(b, t, first, next)
		first = next
	}
}

// together says whether two columns stand in one part: those of one
// arrangement, and those without a level.
func together(a, b Column) bool {
	return a.Arrangement == b.Arrangement || a.Level == 0 && b.Level == 0
}

// part writes the columns from first to below next, and their break-even points.
func (doc *Document) part(b *bytes.Buffer, t *Table, first, next int) {
	head := []string{"targets"}
	for _, c := range doc.Columns[first:next] {
		head = append(head, c.String())
	}
	lines := [][]string{head}
	for row, k := range doc.Targets {
		line := []string{count(k)}
		for _, c := range t.Rows[row][first:next] {
			line = append(line, cellText(c))
		}
		lines = append(lines, line)
	}
	b.WriteByte('\n')
	grid(b, lines)
	b.WriteByte('\n')
	for c := first; c < next; c++ {
		fmt.Fprintf(b, "- %s: %s.\n", doc.Columns[c], t.InWords[c])
	}
}

// cellText prints a cell, for example
//
//	`sr` 13.4 us, 1.66×; `match` +9.0 %
func cellText(c *Cell) string {
	if c == nil {
		return ""
	}
	text := fmt.Sprintf("`%s` %s us", c.Implementation, short(c.PredictedUS))
	if c.SpeedupOverNaive != nil {
		text += ", " + short(*c.SpeedupOverNaive) + "×"
	}
	if c.Rival != nil {
		text += fmt.Sprintf("; `%s` +%s", c.Rival.Implementation, percent(c.Rival.Margin))
	}
	return text
}

// short prints a positive number with three significant digits, and whole
// numbers from a hundred on in full.
func short(x float64) string {
	if x >= 100 {
		return count(uint64(x + 0.5))
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// grid writes a Markdown table whose columns are aligned, the first to the
// right.
func grid(b *bytes.Buffer, lines [][]string) {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for n, line := range lines {
		for i, cell := range line {
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				cell, gap = gap+cell, ""
			}
			b.WriteString("| " + cell + gap + " ")
		}
		b.WriteString("|\n")
		if n == 0 {
			b.WriteString("|" + strings.Repeat("-", widths[0]+1) + ":|")
			for _, w := range widths[1:] {
				b.WriteString(strings.Repeat("-", w+2) + "|")
			}
			b.WriteByte('\n')
		}
	}
}
