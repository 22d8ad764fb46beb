package main

import (
	"bytes"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// column is one column of a printed table.
type column struct {
	title string
	right bool // numbers stand at the right
	width int  // longer cells are wrapped; 0 for any width
}

// newTable returns an empty table in the style of all commands.
func newTable(columns ...column) table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options = table.Options{SeparateHeader: true}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.SetStyle(style)
	header := make(table.Row, len(columns))
	configs := make([]table.ColumnConfig, len(columns))
	for i, c := range columns {
		header[i] = c.title
		configs[i] = table.ColumnConfig{Number: i + 1}
		if c.right {
			configs[i].Align, configs[i].AlignHeader = text.AlignRight, text.AlignRight
		}
		if c.width > 0 {
			configs[i].WidthMax, configs[i].WidthMaxEnforcer = c.width, text.WrapSoft
		}
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(configs)
	t.SuppressTrailingSpaces()
	return t
}

// printTable writes the table and ends its last line.
func printTable(w *bytes.Buffer, t table.Writer) {
	w.WriteString(t.Render())
	w.WriteByte('\n')
}
