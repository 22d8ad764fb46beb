package tables

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	html "html/template"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/visible"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// A File is one implementation of the tables.
type File struct {
	Name    string
	Content []byte
}

// Files returns the tables in all implementations: JSON, CSV of the cells and of the break-even points, one
// HTML page, Markdown for each device, and a README that says how to read them.
func (doc *Document) Files() ([]File, error) {
	data, err := doc.JSON()
	if err != nil {
		return nil, err
	}
	cells, breaks := encode(doc.cellLines()), encode(doc.breakEvenLines())
	page, err := doc.HTML()
	files := []File{{"tables.json", data}, {"tables.csv", cells}, {"break-evens.csv", breaks},
		{"tables.html", page}, {"README.md", doc.Readme()}}
	for _, device := range doc.Devices() {
		files = append(files, File{device + ".md", doc.Markdown(device)})
	}
	return files, err
}

func (doc *Document) Devices() []string {
	var names []string
	for _, t := range doc.Tables {
		names = append(names, t.Device)
	}
	return slices.Compact(names)
}

// Write writes all files into a folder, which it makes if need be, and returns their paths.
func (doc *Document) Write(folder string) ([]string, error) {
	files, err := doc.Files()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	var paths []string
	for _, f := range files {
		path := filepath.Join(folder, f.Name)
		if err := wholefile.Write(path, f.Content); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// JSON returns the document as JSON, one stream, cell or break-even point a line.
func (doc *Document) JSON() ([]byte, error) {
	data, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	// A quotation mark inside a string is escaped, so that these begin objects.
	for _, key := range []string{"arrangement", "device", "column", "stream"} {
		for _, before := range []string{"[", ","} {
			begin := `{"` + key + `":`
			data = bytes.ReplaceAll(data, []byte(before+begin), []byte(before+"\n"+begin))
		}
	}
	return append(data, '\n'), nil
}

//go:embed device.md readme.md
var markdown embed.FS

var texts = template.Must(template.New("").Funcs(template.FuncMap{"line": literal}).ParseFS(markdown, "*.md"))

// marks are what Markdown may take for markup in a line; _ is none within a word.
var marks = regexp.MustCompile("[\\\\`*\\[\\]<>&~#|$]|\\b_+|_+\\b")

// literal returns a text as part of a line of Markdown that shows it as it is.
func literal(text string) string {
	return marks.ReplaceAllStringFunc(visible.Line(text), func(mark string) string {
		return `\` + strings.Join(strings.Split(mark, ""), `\`)
	})
}

func fill(name string, data any) []byte {
	var b bytes.Buffer
	if err := texts.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // the embedded templates fit what fills them
	}
	return b.Bytes()
}

//go:embed page.html
var page string

var pageTemplate = html.Must(html.New("page").Parse(page))

// HTML returns a page by itself: the tables as maps coloured by kind. Titles and warnings, which come
// from profiles, have their control characters and the like written out.
func (doc *Document) HTML() ([]byte, error) {
	shown := *doc
	shown.Tables = slices.Clone(doc.Tables)
	for i := range shown.Tables {
		t := &shown.Tables[i]
		t.Title, t.Warnings = visible.Line(t.Title), slices.Clone(t.Warnings)
		for j, w := range t.Warnings {
			t.Warnings[j] = visible.Line(w)
		}
	}
	data, err := shown.JSON()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	// The encoder of JSON escapes <, > and &, so that the data cannot end its element.
	err = pageTemplate.Execute(&b, struct{ Data html.JS }{html.JS(data)})
	_, script, _ := bytes.Cut(b.Bytes(), []byte("<script>"))
	script, _, _ = bytes.Cut(script, []byte("</script>"))
	hash := sha256.Sum256(script) // by which the page says that this script may run
	return bytes.Replace(b.Bytes(), []byte("sha256-"), []byte("sha256-"+base64.StdEncoding.EncodeToString(hash[:])),
		1), err
}

// encode writes lines of values as CSV: numbers in full, and nothing for nil.
func encode(lines [][]any) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for _, line := range lines {
		record := make([]string, len(line))
		for i, value := range line {
			if v, ok := value.(*float64); ok && v != nil {
				value = *v
			}
			switch v := value.(type) {
			case nil, *float64:
			case float64:
				record[i] = strconv.FormatFloat(v, 'f', -1, 64)
			default:
				record[i] = fmt.Sprint(v)
			}
		}
		_ = w.Write(record) // a buffer takes all
	}
	w.Flush()
	return b.Bytes()
}

func (doc *Document) cellLines() [][]any {
	lines := [][]any{{"device", "type", "value", "arrangement", "level", "targets", "warp_level",
		"clustered_fraction", "max_frequency", "implementation", "predicted_us",
		"speedup_over_naive", "second", "second_margin", "rival", "rival_margin", "stream"}}
	for _, t := range doc.Tables {
		for column := range doc.Columns {
			for _, row := range t.Rows {
				c := row[column]
				if c == nil {
					continue
				}
				s := doc.Streams[c.Stream]
				line := append(doc.about(&t, column), s.Targets, s.WarpLevel, s.ClusteredFraction,
					s.MaxFrequency, c.Implementation, c.PredictedUS, c.SpeedupOverNaive)
				for _, b := range []*Behind{c.Second, c.Rival} {
					if b == nil {
						line = append(line, nil, nil)
						continue
					}
					line = append(line, b.Implementation, b.Margin)
				}
				lines = append(lines, append(line, s.Spec))
			}
		}
	}
	return lines
}

func (doc *Document) breakEvenLines() [][]any {
	lines := [][]any{{"device", "type", "value", "arrangement", "level",
		"last_targets", "last_implementation", "last_margin",
		"first_targets", "first_implementation", "first_margin", "last_stream", "first_stream"}}
	for _, t := range doc.Tables {
		for _, b := range t.BreakEvens {
			lines = append(lines, append(doc.about(&t, b.Column),
				b.Last.Targets, b.Last.Implementation, b.Last.Margin,
				b.First.Targets, b.First.Implementation, b.First.Margin,
				doc.Streams[b.Last.Stream].Spec, doc.Streams[b.First.Stream].Spec))
		}
	}
	return lines
}

// about says what a line is about: device, type, value, arrangement, level.
func (doc *Document) about(t *Table, column int) []any {
	c := doc.Columns[column]
	line := []any{t.Device, t.Type, doc.Value, c.Arrangement, nil}
	if c.Level > 0 {
		line[4] = c.Level
	}
	return line
}

// section is a table in Markdown. One that equals an earlier one names the type of that.
type section struct {
	*Table
	Same  string
	Parts []part
}

// part is some columns of a table, and what their break-even points are.
type part struct {
	Grid  string
	Lines []string
}

// Markdown returns the tables of a device, a section for each type.
func (doc *Document) Markdown(device string) []byte {
	var sections []section
	for i := range doc.Tables {
		s := section{Table: &doc.Tables[i]}
		if s.Device != device {
			continue
		}
		same := slices.IndexFunc(sections, func(o section) bool {
			return reflect.DeepEqual(s.Rows, o.Rows) && reflect.DeepEqual(s.BreakEvens, o.BreakEvens)
		})
		if same >= 0 {
			s.Same = sections[same].Type.String()
		} else {
			s.Parts = doc.parts(s.Table)
		}
		sections = append(sections, s)
	}
	return fill("device.md", map[string]any{"Title": sections[0].Title, "Device": device,
		"Updates": visible.Count(uint64(doc.Updates)), "Adding": doc.adding(), "Sections": sections})
}

func (doc *Document) adding() string {
	switch {
	case doc.Width > 0:
		return fmt.Sprintf("adding a row of %d values", doc.Width)
	case doc.Value == device.One:
		return "adding 1"
	}
	return "adding a value loaded from memory"
}

// parts divides the columns: those of one arrangement stand together, and those without a level.
func (doc *Document) parts(t *Table) []part {
	var parts []part
	for first, next := 0, 0; first < len(doc.Columns); first = next {
		a := doc.Columns[first]
		next = first + 1
		for next < len(doc.Columns) && (a.Arrangement == doc.Columns[next].Arrangement ||
			a.Level == 0 && doc.Columns[next].Level == 0) {
			next++
		}
		lines := [][]string{{"targets"}}
		for row, k := range doc.Targets {
			lines = append(lines, []string{visible.Count(k)})
			for _, c := range t.Rows[row][first:next] {
				lines[row+1] = append(lines[row+1], cellText(c))
			}
		}
		var p part
		for c := first; c < next; c++ {
			lines[0] = append(lines[0], doc.Columns[c].String())
			p.Lines = append(p.Lines, doc.Columns[c].String()+": "+t.InWords[c])
		}
		p.Grid = grid(lines)
		parts = append(parts, p)
	}
	return parts
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
		text += fmt.Sprintf("; `%s` %s", c.Rival.Implementation, signed(c.Rival.Margin))
	}
	return text
}

// grid returns a Markdown table whose columns are aligned, the first to the right.
func grid(lines [][]string) string {
	widths := make([]int, len(lines[0]))
	rule := make([]string, len(widths))
	for i := range widths {
		for _, line := range lines {
			widths[i] = max(widths[i], utf8.RuneCountInString(line[i]))
		}
		rule[i] = strings.Repeat("-", widths[i]+2)
	}
	rule[0] = rule[0][1:] + ":"
	var b strings.Builder
	for n, line := range lines {
		fmt.Fprintf(&b, "| %*s ", widths[0], line[0])
		for i, cell := range line[1:] {
			fmt.Fprintf(&b, "| %-*s ", widths[i+1], cell)
		}
		b.WriteString("|\n")
		if n == 0 {
			b.WriteString("|" + strings.Join(rule, "|") + "|\n")
		}
	}
	return b.String()
}

// Readme returns, as Markdown, how to read the tables and what they stand on.
func (doc *Document) Readme() []byte {
	first := slices.CompactFunc(slices.Clone(doc.Tables),
		func(a, b Table) bool { return a.Device == b.Device }) // of each device
	return fill("readme.md", map[string]any{
		"Tables": first, "Updates": visible.Count(uint64(doc.Updates)), "Adding": doc.adding(),
		"Streams": visible.Count(uint64(len(doc.Streams))), "Columns": grid(doc.reached()),
		"Sample": doc.sample(), "RowFactor": 1 << rowStep})
}

// sample returns the first cell of the last rows that has all there is to show.
func (doc *Document) sample() string {
	for _, t := range doc.Tables {
		for _, row := range slices.Backward(t.Rows) {
			for _, c := range row {
				if c != nil && c.Rival != nil && c.SpeedupOverNaive != nil && *c.SpeedupOverNaive > 1 {
					return cellText(c)
				}
			}
		}
	}
	return cellText(doc.Tables[0].Rows[0][0])
}

// reached says of each column which levels and which shares of equal neighbours its streams have.
func (doc *Document) reached() [][]string {
	lines := [][]string{{"column", "streams", "level in a warp", "clustered fraction"}}
	for i, c := range doc.Columns {
		var levels, clustered []float64
		for _, s := range doc.Streams {
			if s.Column == i {
				levels = append(levels, s.WarpLevel)
				clustered = append(clustered, s.ClusteredFraction)
			}
		}
		line := []string{c.String(), visible.Count(uint64(len(levels)))}
		for _, x := range [][]float64{levels, clustered} {
			span := "none"
			if len(x) > 0 {
				span = fmt.Sprintf("%.3f to %.3f", slices.Min(x), slices.Max(x))
			}
			line = append(line, span)
		}
		lines = append(lines, line)
	}
	return lines
}
