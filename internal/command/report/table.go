package report

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/atomtune/atomtune/internal/command"
)

// Row is the cells of one row of a table.
type Row = table.Row

// Table writes a table with a row for each item. Its titles are separated by |: that of a
// column of numbers begins with >, that of one whose cells wrap with its width, as in 60:rule.
// Cells that are numbers are printed by Count and Number.
//
// On a Page the table fits the page's width. Columns whose titles begin with ? are left out first,
// those with the most ? before others; then columns whose cells wrap become narrower.
func Table[T any](w io.Writer, titles string, items []T, cells func(T) Row) {
	out := laidOut(w, titles, items, cells)
	if _, ok := w.(*Page); ok {
		out = ruled(out)
	}
	io.WriteString(w, out+"\n")
}

// Rows is Table without the rule below the titles.
func Rows[T any](p *Page, titles string, items []T, cells func(T) Row) {
	lines := strings.SplitN(laidOut(p, titles, items, cells), "\n", 3)
	io.WriteString(p, lines[0]+"\n"+lines[2]+"\n")
}

func laidOut[T any](w io.Writer, titles string, items []T, cells func(T) Row) string {
	columns := columnsOf(titles)
	rows := make([]Row, len(items))
	for i, item := range items {
		rows[i] = cells(item)
		for j, cell := range rows[i] {
			switch cell := cell.(type) {
			case int:
				rows[i][j] = Count(cell)
			case uint64:
				rows[i][j] = Count(cell)
			case float64:
				rows[i][j] = Number(cell)
			case string:
				rows[i][j] = command.Inline(cell)
			}
		}
	}
	out := render(columns, rows)
	if p, ok := w.(*Page); ok {
		for widest(out) > p.Width && leaveOut(columns) {
			out = render(columns, rows)
		}
		for widest(out) > p.Width && narrow(columns, rows, widest(out)-p.Width) {
			out = render(columns, rows)
		}
	}
	return out
}

// Cells writes a table of rows whose cells are known.
func Cells(w io.Writer, titles string, rows []Row) {
	Table(w, titles, rows, func(r Row) Row { return r })
}

type column struct {
	title  string
	number bool // on the right
	wraps  int  // width beyond which cells wrap; 0: they do not
	spare  int  // number of ? before its title
	hidden bool
}

func columnsOf(titles string) (list []column) {
	for _, title := range strings.Split(titles, "|") {
		var c column
		rest := strings.TrimLeft(title, "?")
		c.spare = len(title) - len(rest)
		c.title, c.number = strings.CutPrefix(rest, ">")
		if before, wrapped, _ := strings.Cut(c.title, ":"); wrapped != "" && !c.number {
			if width, err := strconv.Atoi(before); err == nil {
				c.title, c.wraps = wrapped, width
			}
		}
		list = append(list, c)
	}
	return list
}

// leaveOut hides the column that is spared most easily, and reports whether there is one.
func leaveOut(columns []column) bool {
	best := -1
	for i, c := range columns {
		if !c.hidden && c.spare > 0 && (best < 0 || c.spare >= columns[best].spare) {
			best = i
		}
	}
	if best < 0 {
		return false
	}
	columns[best].hidden = true
	return true
}

const leastWrap = 16 // columns that cells which wrap keep

// narrow takes up to so many columns from the widest that wraps, and reports whether there were any.
func narrow(columns []column, rows []Row, by int) bool {
	best, most := -1, leastWrap
	for i, c := range columns {
		if c.wraps == 0 || c.hidden {
			continue
		}
		long := len(c.title)
		for _, r := range rows {
			if s, ok := r[i].(string); ok {
				long = max(long, text.StringWidthWithoutEscSequences(s))
			}
		}
		if long = min(long, c.wraps); long > most {
			best, most = i, long
		}
	}
	if best < 0 {
		return false
	}
	columns[best].wraps = max(leastWrap, most-by)
	return true
}

func render(columns []column, rows []Row) string {
	t := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options = table.Options{SeparateHeader: true}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.SetStyle(style)
	var header Row
	var configs []table.ColumnConfig
	for i, c := range columns {
		config := table.ColumnConfig{Number: i + 1, Hidden: c.hidden}
		if c.number {
			config.Align, config.AlignHeader = text.AlignRight, text.AlignRight
		}
		if c.wraps > 0 {
			config.WidthMax, config.WidthMaxEnforcer = c.wraps, text.WrapSoft
		}
		header, configs = append(header, c.title), append(configs, config)
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(configs)
	t.SuppressTrailingSpaces()
	t.AppendRows(slices.Clone(rows))
	return t.Render()
}

const rule = "─"

// widest is the width of the longest line but the rule, which trails behind.
func widest(out string) (most int) {
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, rule) {
			line = strings.TrimSuffix(line, "\n")
			most = max(most, text.StringWidthWithoutEscSequences(line))
		}
	}
	return most
}

func ruled(out string) string {
	lines := strings.Split(out, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, rule) {
			lines[i] = strings.Repeat(rule, widest(out))
		}
	}
	return strings.Join(lines, "\n")
}
