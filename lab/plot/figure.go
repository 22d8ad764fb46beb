package plot

import (
	"math"

	"gonum.org/v1/plot"
)

// Style says how a Line joins and marks its points.
type Style int

const (
	// Solid joins the points and marks them.
	Solid Style = iota
	// Dashed joins the points with dashes and marks them.
	Dashed
	// Markers marks the points and does not join them.
	Markers
	// Reference is a thin grey dashed line without marks, for what is not data:
	// a ratio of one, equality, a limit.
	Reference
)

// Line is one series of a Figure.
type Line struct {
	Name string
	// X and Y have the same length, at least 1.
	X, Y []float64
	// Low and High, both or neither, have the length of Y and are drawn as a
	// band around a joined line, as error bars on Markers.
	Low, High []float64
	Style     Style
}

// Tick is a named place on an axis.
type Tick struct {
	Value float64
	Label string
}

// Figure draws lines. Joined lines of more than 40 points are marked at every n-th point
// only.
type Figure struct {
	Title          string
	XLabel, YLabel string // of the quantity and its unit
	Lines          []Line
	// XLog and YLog make an axis logarithmic. An x axis whose values are all
	// powers of two has ticks at powers of two, otherwise at powers of ten.
	XLog, YLog bool
	// XTicks replace the x axis's own ticks, all of which it holds.
	XTicks []Tick
	// YFit lets a linear y axis of values that are not negative begin near the
	// smallest of them instead of at zero.
	YFit bool
}

func (f Figure) labels() labels { return labels{f.Title, f.XLabel, f.YLabel} }

func (f Figure) logY() bool { return f.YLog }

func (f Figure) entries() []entry { return lineEntries(f.Lines, lineKind) }

// lineEntries are the legend's entries of lines, which are an overlay in Bars.
func lineEntries(lines []Line, k kind) []entry {
	var all []entry
	for _, l := range lines {
		all = append(all, entry{inkKey: inkKey{k, l.Name}, style: l.Style, band: l.Low != nil})
	}
	return all
}

func (f Figure) ySpan(design) span {
	s := emptySpan()
	s.coverLines(f.Lines)
	if f.YLog {
		return s.pad(true, 0.05)
	}
	if s.lo >= 0 && !f.YFit {
		return span{0, math.Max(s.hi, 0)}.padTop(0.06)
	}
	return s.pad(false, 0.06)
}

func (f Figure) xSpan() span {
	s := emptySpan()
	for _, l := range f.Lines {
		s.cover(l.X...)
	}
	for _, t := range f.XTicks {
		s.cover(t.Value)
	}
	return s.pad(f.XLog, 0.025)
}

func (f Figure) xTicks(s span, d design) ticks {
	width, size := d.data.X, d.theme.tick.Font.Size
	switch {
	case len(f.XTicks) > 0:
		var t ticks
		for _, g := range f.XTicks {
			t.marks = append(t.marks, plot.Tick{Value: g.Value, Label: g.Label})
		}
		return t
	case !f.XLog:
		return linearTicks(s, int(width/(5.5*size)))
	}
	for _, l := range f.Lines {
		for _, x := range l.X {
			if frac, _ := math.Frexp(x); frac != 0.5 { // no power of two
				return log10Ticks(s, width, 3.3*size)
			}
		}
	}
	return log2Ticks(s, width, d.theme.tick)
}

func (f Figure) build(d design) drawing {
	x, lines := f.xSpan(), curves{f.Lines, lineKind, d}
	w := drawing{
		xAxis:  axis{x, f.XLog, f.xTicks(x, d)},
		yAxis:  axis{d.y, f.YLog, yTicks(d.y, f.YLog, d)},
		layers: []plot.Plotter{lines},
	}
	if d.ends {
		w.xAxis.span = ends{lines}.widen(x)
		w.layers = append(w.layers, ends{lines})
	}
	return w
}
