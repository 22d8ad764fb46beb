package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strconv"
	"sync"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/chart"
	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/visible"
	"github.com/atomtune/atomtune/tuner"
)

//go:embed page.html
var pageText string

//go:embed style.css
var style string

// line is in the template before each text that comes from outside or holds a name that does.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"line": visible.Line,
		"number": report.Number, "count": report.Count[uint64], "counted": report.Counted[uint64], "percent": percent,
		"capital": capital, "plural": plural, "verb": verb,
		"streams": func(n int) string { return report.Counted(n, "stream") },
		"whole":   func(x float64) string { return report.Count(uint64(x)) },
		"hundred": func(x float64) string { return report.Number(100 * x) },
		"over":    func(us, least float64) string { return report.Number(us / least) },
		"share":   func(part, all uint64) string { return percent(float64(part) / float64(all)) },
	}).Parse(pageText))
})

// HTML returns the page. It is well-formed XML besides.
func (r *Report) HTML() ([]byte, error) {
	v := struct {
		Title, Heading, Command string
		Tie                     float64 // the band within which kinds are as good as each other
		Style                   template.CSS
		Streams                 []view
	}{Heading: "Report on " + report.Counted(len(r.Files), "stream"), Command: r.Command, Tie: tuner.TieBand,
		Style: template.CSS(style)}
	if v.Title = v.Heading; len(r.Files) == 1 {
		v.Title = "Report on " + r.Files[0].Stream.File
	}
	for i, d := range r.Files {
		v.Streams = append(v.Streams, view{d, "stream" + strconv.Itoa(i+1)})
	}
	var b bytes.Buffer
	if err := pageTemplate().Execute(&b, v); err != nil {
		return nil, fmt.Errorf("making the page: %w", err)
	}
	return b.Bytes(), nil
}

// view is a document as the template shows it, under an ID of the page.
type view struct {
	*Document
	ID string
}

// facts are terms with what is said of them.
type fact struct{ Term, Text string }

// figure is a picture with its words, what belongs to its lines, and its data as a table.
type figure struct {
	Title, Words, Held string
	SVG                template.HTML
	Key                []fact // class and name of each line
	Columns            []string
	Rows               [][]string
}

// OverNaive is how many times as fast as plain atomics the choice is, "" where that says nothing.
func (d *Document) OverNaive() string {
	if c := d.Choice; c.SpeedupOverNaive != nil && !c.Implementation.IsNaive() {
		return report.Number(*c.SpeedupOverNaive)
	}
	return ""
}

// Decided says how the device's tree decided, "" without one.
func (d *Document) Decided() string {
	if d.Tree == nil {
		return ""
	}
	return "Decided " + choice.Decided(d.Tree, d.Profile.Title) + "."
}

// Statistics are those that analyze prints.
func (d *Document) Statistics() []choice.Statistic { return choice.Statistics(d.Stream.Stats) }

// Excerpt says of what sweeps are made, where it is not the stream.
func (d *Document) Excerpt() string {
	if d.excerpt.Whole() {
		return ""
	}
	return fmt.Sprintf("For targets and contention the statistics are estimates from %s of the %s updates, "+
		"drawn in random blocks.", report.Count(d.excerpt.Updates()), report.Count(d.Stream.Updates))
}

// figureOf returns a picture with its words, and columns of its data.
func figureOf(p chart.Plot, columns ...string) figure {
	return figure{Title: p.Title, Words: p.Description, SVG: template.HTML(p.SVG()), Columns: columns}
}

// Bars is the picture of all implementations.
func (v view) Bars() figure {
	rows := v.floorChart(v.ID + "-floor")
	return figure{Title: rows.Title, Words: rows.Description, SVG: template.HTML(rows.SVG())}
}

// Figures are the pictures of the stream, each with what it shows as a table.
func (v view) Figures() []figure {
	p := &v.Pictures
	ranks := figureOf(v.rankChart(v.ID+"-rank"), "rank", "updates")
	for _, r := range thinned(p.Ranks) {
		ranks.Rows = append(ranks.Rows, []string{report.Count(r.Rank), report.Number(r.Updates)})
	}
	along := figureOf(v.courseChart(v.ID+"-course"), "first update", "warps", "mean degree", "least", "most")
	for _, s := range thinned(p.Course) {
		along.Rows = append(along.Rows, []string{report.Count(s.First), report.Count(s.Warps),
			report.Number(s.Mean), strconv.Itoa(s.Least), strconv.Itoa(s.Most)})
	}
	distinct := figureOf(v.distinctChart(v.ID+"-distinct"), "different targets", "warps")
	for targets, n := range p.Distinct {
		if n > 0 {
			distinct.Rows = append(distinct.Rows, []string{strconv.Itoa(targets), report.Count(n)})
		}
	}
	return []figure{ranks, along, distinct}
}

// mostRows is how many rows the table of a picture has at most; --json has all.
const mostRows = 24

// thinned returns items that are evenly spread over a list, the first and the last among them.
func thinned[T any](list []T) []T {
	if len(list) <= mostRows {
		return list
	}
	few := make([]T, mostRows)
	for i := range few {
		few[i] = list[i*(len(list)-1)/(mostRows-1)]
	}
	return few
}

// SweepFigures are the pictures of the sweeps, with what their lines are and their points.
func (v view) SweepFigures() (list []figure) {
	for i := range v.Sweeps {
		s := &v.Sweeps[i]
		f := figureOf(v.sweepChart(v.ID+"-"+string(s.Quantity), s), quantities[s.Quantity].title)
		f.Title, f.Words, f.Held = "By "+f.Columns[0], s.InWords, s.Held
		for _, l := range s.Lines {
			f.Key = append(f.Key, fact{v.class(l.Kind), l.Kind.Title()})
			f.Columns = append(f.Columns, l.Kind.Title()+" (us)")
		}
		for at, place := range s.Places {
			row := []string{valueWords(s.Quantity, place)}
			for _, l := range s.Lines {
				text := "cannot run"
				if us := l.US[at]; us != nil {
					text = report.Number(*us)
				}
				row = append(row, text)
			}
			f.Rows = append(f.Rows, row)
		}
		list = append(list, f)
	}
	return list
}
