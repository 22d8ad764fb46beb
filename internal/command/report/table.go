package report

import (
	"bytes"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

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
