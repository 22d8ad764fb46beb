package gomezluna13

import (
	"context"
	"fmt"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// Figure 7 has 272 layouts and orders, so that it takes no more than
// mostLayoutPatterns of the patterns, and takes only every rarely-th of these
// apart.
const mostLayoutPatterns = 250_000

var mappings = []impl.Mapping{impl.Cyclic, impl.Block}

// layoutsOf lists the layouts of a vote space, [gomezluna13] Figure 7: the
// replication factors, both mappings, without padding and with one word. One
// copy has neither mapping nor padding.
func layoutsOf(words int) []layout {
	all := []layout{{words: words, copies: 1}}
	for _, r := range factors(mostCopies(words))[1:] {
		for _, m := range mappings {
			for pad := range 2 {
				if l := (layout{words, r, pad, m}); l.fits() {
					all = append(all, l)
				}
			}
		}
	}
	return all
}

// figure7 is the latency of random and of sorted patterns over replication
// factor, mapping and padding, [gomezluna13] section 3, third experiment.
func figure7(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	o.Patterns = min(o.Patterns, mostLayoutPatterns)
	all, err := surveyOf(ctx, o, rarely, rarely, func(words int) (both []setting) {
		for _, l := range layoutsOf(words) {
			both = append(both, setting{l, false}, setting{l, true})
		}
		return both
	})
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	f.Table(all.layoutTable())
	f.Page = all.layoutPage(o.Patterns)
	f.layoutAccuracy(all, o.Patterns)
	f.randomRows(all)
	f.sortedCyclicRows(all)
	f.paddingRows(all)
	f.sortedBlockRows(all)
	return f.Outcome, nil
}

// get returns the mean of a layout, and whether it was surveyed.
func (s survey) get(l layout, sorted bool) (conflicts, bool) {
	if l.copies == 1 {
		l = layout{words: l.words, copies: 1}
	}
	c, ok := s[setting{l, sorted}]
	return c, ok
}

// series is the latency over the replication factors of a vote space.
func (s survey) series(words int, mapping impl.Mapping, pad int, sorted bool) (copies []int,
	latency []float64) {
	for _, r := range factors(mostCopies(words)) {
		if c, ok := s.get(layout{words, r, pad, mapping}, sorted); ok {
			copies, latency = append(copies, r), append(latency, c.cycles)
		}
	}
	return copies, latency
}

// line names a series.
type line struct {
	name    string
	mapping impl.Mapping
	pad     int
	sorted  bool
}

// layoutLines are the series of Figure 7's panels. Those of random patterns
// with padding lie on the ones without; the table has them.
var layoutLines = []line{
	{"cyclic", impl.Cyclic, 0, false},
	{"block", impl.Block, 0, false},
	{"sorted, cyclic", impl.Cyclic, 0, true},
	{"sorted, cyclic, padded", impl.Cyclic, 1, true},
	{"sorted, block", impl.Block, 0, true},
	{"sorted, block, padded", impl.Block, 1, true},
}

// style is dashed for padding, and for what lies on another line.
func (l line) style() plot.Style {
	if l.pad > 0 || l.name == "block" {
		return plot.Dashed
	}
	return plot.Solid
}

func (s survey) layoutPage(patterns int) plot.Page {
	page := plot.Page{
		Title: fmt.Sprintf("Replication, mapping, padding and sorting: mean of %s random patterns "+
			"(GeForce GTX 580)", papers.Thousands(patterns)),
		Columns: 4, Width: 1300, SharedY: true,
	}
	for _, words := range voteSpaces {
		panel := factorPanel(fmt.Sprintf("%d words", words), factors(mostCopies(words)),
			"latency [cycles]")
		panel.YFit = true
		for _, l := range layoutLines {
			copies, latency := s.series(words, l.mapping, l.pad, l.sorted)
			panel.Lines = append(panel.Lines, plot.Line{Name: l.name, X: floats(copies), Y: latency,
				Style: l.style()})
		}
		page.Panels = append(page.Panels, panel)
	}
	return page
}

// factorPanel is an empty panel over replication factors.
func factorPanel(title string, copies []int, y string) plot.Figure {
	panel := plot.Figure{Title: title, XLabel: "replication factor R", YLabel: y, XLog: true}
	for i, r := range copies {
		// The last one has no room for its number beside a power of two close by.
		if i == 0 || 4*r >= 5*copies[i-1] {
			panel.XTicks = append(panel.XTicks, plot.Tick{Value: float64(r), Label: fmt.Sprint(r)})
		}
	}
	return panel
}

func floats(all []int) []float64 {
	return papers.List(len(all), func(i int) float64 { return float64(all[i]) })
}

func (s survey) layoutTable() papers.Table {
	t := papers.NewTable("figure7", "Mean latency over vote space and layout",
		"vote space [words]|R|mapping|pad [words]|sorted|latency [cycles]|lock degree|bank degree|"+
			"closed form of the simulated [cycles]|simulated [cycles]")
	for _, words := range voteSpaces {
		for _, l := range layoutsOf(words) {
			for _, sorted := range []bool{false, true} {
				c := s[setting{l, sorted}]
				t.Add(words, l.copies, mappingNames[l.mapping], l.pad, sorted, c.cycles, c.lockDegree,
					c.bankDegree, c.closed, c.simulated)
			}
		}
	}
	return t
}
