// Package report prints what commands find: numbers, tables and progress.
package report

import (
	"bytes"
	"math"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Count prints a whole number with a comma between thousands.
func Count(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Number prints a quantity with about four significant digits, without an
// exponent between 0.001 and a million.
func Number(x float64) string {
	size := math.Abs(x)
	switch {
	case x == math.Trunc(x) && size < 1e6:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case size < 1e-3 || size >= 1e6:
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	digits := 3 - int(math.Floor(math.Log10(size)))
	return strconv.FormatFloat(x, 'f', max(0, digits), 64)
}

// BytesPerSecond prints a rate in decimal units.
func BytesPerSecond(rate float64) string {
	units := []string{"B/s", "kB/s", "MB/s", "GB/s", "TB/s"}
	i := 0
	for ; rate >= 1000 && i < len(units)-1; i++ {
		rate /= 1000
	}
	return strconv.FormatFloat(rate, 'f', 1, 64) + " " + units[i]
}

// Counted is a number of things, whose plural ends in s.
func Counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Count(uint64(n)) + " " + thing
}

// Column is one column of a printed table.
type Column struct {
	Title string
	Right bool // numbers stand at the right
	Width int  // longer cells are wrapped; 0 for any width
}

// Left is a column whose cells begin below each other.
func Left(title string) Column { return Column{Title: title} }

// Right is a column whose cells end below each other.
func Right(title string) Column { return Column{Title: title, Right: true} }

// NewTable returns an empty table in the style of all commands.
func NewTable(columns ...Column) table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options = table.Options{SeparateHeader: true}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.SetStyle(style)
	header := make(table.Row, len(columns))
	configs := make([]table.ColumnConfig, len(columns))
	for i, c := range columns {
		header[i] = c.Title
		configs[i] = table.ColumnConfig{Number: i + 1}
		if c.Right {
			configs[i].Align, configs[i].AlignHeader = text.AlignRight, text.AlignRight
		}
		if c.Width > 0 {
			configs[i].WidthMax, configs[i].WidthMaxEnforcer = c.Width, text.WrapSoft
		}
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(configs)
	t.SuppressTrailingSpaces()
	return t
}

// PrintTable writes the table and ends its last line.
func PrintTable(w *bytes.Buffer, t table.Writer) {
	w.WriteString(t.Render())
	w.WriteByte('\n')
}
