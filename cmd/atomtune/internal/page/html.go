package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"

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

// line stands in the template before each text that comes from outside or holds a name that does.
var pageTemplate = template.Must(template.New("").Funcs(template.FuncMap{"line": visible.Line}).Parse(pageText))

// HTML returns the page. It is well-formed XML besides.
func (r *Report) HTML() ([]byte, error) {
	v := view{Heading: fmt.Sprintf("Report on %s", report.Counted(len(r.Files), "stream")), Command: r.Command,
		Tie:   percent(tuner.TieBand),
		Style: template.CSS(style)}
	if v.Title = v.Heading; len(r.Files) == 1 {
		v.Title = "Report on " + r.Files[0].Stream.File
	}
	for i, d := range r.Files {
		v.Streams = append(v.Streams, d.view("stream"+strconv.Itoa(i+1)))
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, v); err != nil {
		return nil, fmt.Errorf("making the page: %w", err)
	}
	return b.Bytes(), nil
}

// view is what the template shows: texts and pictures, and nothing to work out.
type view struct {
	Title, Heading string
	Command        string // the line that makes the page again
	Tie            string // the band within which kinds are as good as each other
	Style          template.CSS
	Streams        []streamView
}

// Several reports whether the page needs a table of contents.
func (v view) Several() bool { return len(v.Streams) > 1 }

type streamView struct {
	ID, File, Format             string
	Updates, Targets             string
	Ignored                      string // positions without an update, "" where there are none
	Device, Call                 string
	Choice, Does                 string
	PredictedUS                  string
	OverFloor, OverNaive         string
	Answers                      []fact
	Decided, Reason              string // the first is empty without a tree
	Certainty, Assumed, Warnings []string
	LeftOut                      []fact
	Code                         []string
	Words                        string
	Pictures                     []figure
	Statistics                   []statistic
	Halves                       bool // some statistics have intervals
	Floor                        figure
	Ranking                      []rankedView
	Intervals                    bool // times have some
	Legend                       []fact
	Sweeps                       []figure
	Excerpt                      string // of what sweeps are made, where it is not the stream
}

// figure is a picture with its words, what belongs to its lines, and its data as a table.
type figure struct {
	Title, Words, Held string
	SVG                template.HTML
	Key                []fact // class and name of each line
	Columns            []string
	Rows               [][]string
}

type rankedView struct {
	Implementation, Class, PredictedUS, LowUS, HighUS, OverFloor, OverBest, Binding, Launch string
	Chosen                                                                                  bool
}

func (d *Document) view(id string) streamView {
	s, c := &d.Stream.Stats, d.Choice
	v := streamView{ID: id, File: d.Stream.File, Format: d.Stream.Kind(),
		Updates: report.Counted(s.Updates, "update"), Targets: report.Counted(s.Bins, "target"), Device: d.profile.Title,
		Call: d.call.Words() + d.Constraints.String(), Choice: c.Implementation.String(),
		Does: c.Implementation.Does(), PredictedUS: report.Number(c.PredictedUS),
		OverFloor: report.Number(c.PredictedUS / d.Floor.US),
		Answers:   d.answers(), Reason: d.Reason, Certainty: d.certainty(), Assumed: d.assumptions(),
		Warnings: d.Warnings, Code: d.Code, Words: d.streamWords(), Statistics: d.statistics(),
		Halves: s.Sampled != nil, Ranking: d.ranked(), Intervals: c.LowUS != nil}
	if n := d.Stream.Ignored; n > 0 {
		v.Ignored = report.Counted(n, "ignored position")
	}
	if c.SpeedupOverNaive != nil && !c.Implementation.IsNaive() {
		v.OverNaive = report.Number(*c.SpeedupOverNaive)
	}
	if d.Tree != nil {
		v.Decided = "Decided " + choice.Decided(d.Tree, d.profile.Title) + "."
	}
	for _, l := range d.LeftOut {
		v.LeftOut = append(v.LeftOut, fact{l.Implementation.String(), l.Reason})
	}
	for _, name := range slices.Sorted(maps.Keys(d.Legend)) {
		v.Legend = append(v.Legend, fact{name, d.Legend[name]})
	}
	v.Pictures = d.streamFigures(id)
	rows := d.floorChart(id + "-floor")
	v.Floor = figure{Title: rows.Title, Words: rows.Description, SVG: template.HTML(rows.SVG())}
	for i := range d.Sweeps {
		v.Sweeps = append(v.Sweeps, d.sweepFigure(id, &d.Sweeps[i]))
	}
	if len(d.Sweeps) > 0 && !d.excerpt.Whole() {
		v.Excerpt = fmt.Sprintf("For targets and contention the statistics are estimated from %s of the %s "+
			"updates, drawn in blocks at random.", report.Count(d.excerpt.Updates()), report.Count(s.Updates))
	}
	return v
}

// figureOf returns a picture with its words, without its data.
func figureOf(p chart.Plot) figure {
	return figure{Title: p.Title, Words: p.Description, SVG: template.HTML(p.SVG())}
}

// streamFigures are the pictures of the stream, each with what it shows as a table.
func (d *Document) streamFigures(id string) []figure {
	ranks, along, distinct := figureOf(d.rankChart(id+"-rank")), figureOf(d.courseChart(id+"-course")),
		figureOf(d.distinctChart(id+"-distinct"))
	ranks.Columns = []string{"rank", "updates"}
	for _, r := range thinned(d.Pictures.Ranks) {
		ranks.Rows = append(ranks.Rows, []string{report.Count(r.Rank), report.Number(r.Updates)})
	}
	along.Columns = []string{"first update", "warps", "mean degree", "least", "most"}
	for _, s := range thinned(d.Pictures.Course) {
		along.Rows = append(along.Rows, []string{report.Count(s.First), report.Count(s.Warps),
			report.Number(s.Mean), strconv.Itoa(s.Least), strconv.Itoa(s.Most)})
	}
	distinct.Columns = []string{"different targets", "warps"}
	for targets, n := range d.Pictures.Distinct {
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

// sweepFigure is the picture of a sweep, with what its lines are and their points.
func (d *Document) sweepFigure(id string, s *sweep) figure {
	f := figureOf(d.sweepChart(id+"-"+string(s.Quantity), s))
	f.Title, f.Words, f.Held = "By "+quantities[s.Quantity].title, s.InWords, s.Held
	f.Columns = []string{quantities[s.Quantity].title}
	for _, l := range s.Lines {
		f.Key = append(f.Key, fact{d.class(l.Kind), l.Kind.Title()})
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
	return f
}

func (d *Document) ranked() (list []rankedView) {
	for i, r := range d.Ranking {
		v := rankedView{Implementation: r.Implementation.String(), Class: r.Class,
			PredictedUS: report.Number(r.PredictedUS), OverFloor: report.Number(r.PredictedUS / d.Floor.US),
			OverBest: report.Number(r.PredictedUS / d.Choice.PredictedUS), Binding: r.Binding,
			Launch: r.Launch.String(), Chosen: i == 0}
		if r.LowUS != nil {
			v.LowUS, v.HighUS = report.Number(*r.LowUS), report.Number(*r.HighUS)
		}
		list = append(list, v)
	}
	return list
}
