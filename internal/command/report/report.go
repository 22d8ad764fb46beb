// Package report prints what commands find: numbers, tables and progress.
package report

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Count prints a whole number with a comma between thousands.
func Count[N int | uint64](n N) string {
	digits := strconv.FormatUint(uint64(n), 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Number prints about four significant digits, from 0.001 to a million without an exponent.
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
	return Count(n) + " " + thing
}

// Row is the cells of one row of a table.
type Row = table.Row

// Table writes a table with a row for each item. Its titles are separated by |: that of a
// column of numbers begins with >, that of one whose cells wrap with its width, as in 60:rule.
// Cells that are numbers are printed by Count and Number.
func Table[T any](w *bytes.Buffer, titles string, items []T, cells func(T) Row) {
	t := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options = table.Options{SeparateHeader: true}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.SetStyle(style)
	var header Row
	var columns []table.ColumnConfig
	for i, title := range strings.Split(titles, "|") {
		column := table.ColumnConfig{Number: i + 1}
		if number, ok := strings.CutPrefix(title, ">"); ok {
			title, column.Align, column.AlignHeader = number, text.AlignRight, text.AlignRight
		} else if before, wrapped, _ := strings.Cut(title, ":"); wrapped != "" {
			if width, err := strconv.Atoi(before); err == nil {
				title, column.WidthMax, column.WidthMaxEnforcer = wrapped, width, text.WrapSoft
			}
		}
		header, columns = append(header, title), append(columns, column)
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(columns)
	t.SuppressTrailingSpaces()
	for _, item := range items {
		row := cells(item)
		for i, cell := range row {
			switch cell := cell.(type) {
			case int:
				row[i] = Count(cell)
			case uint64:
				row[i] = Count(cell)
			case float64:
				row[i] = Number(cell)
			}
		}
		t.AppendRow(row)
	}
	w.WriteString(t.Render())
	w.WriteByte('\n')
}

// Cells writes a table of rows whose cells are known.
func Cells(w *bytes.Buffer, titles string, rows []Row) {
	Table(w, titles, rows, func(r Row) Row { return r })
}

// YesNo prints a truth in words.
func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
