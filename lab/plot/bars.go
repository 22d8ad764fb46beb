package plot

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Series is one value for each category of a Bars.
type Series struct {
	Name   string
	Values []float64
}

// Bars draws grouped or stacked bars. The y axis is linear and contains zero,
// where the bars begin.
type Bars struct {
	Title          string
	XLabel, YLabel string // of the quantity and its unit
	// Categories stand along the x axis; names that are too wide are slanted.
	Categories []string
	// Series have one value for each category, not negative where stacked.
	Series  []Series
	Stacked bool
	// Labels, where not nil, are texts above the bars, one row for each series
	// or a single row for stacks, one text for each category; an empty text is
	// none.
	Labels [][]string
	// Overlay are lines over the bars, such as measured points. Their X are
	// places among the categories, 0 the middle of the first, 1 of the second;
	// nil stands for one point at each category.
	Overlay []Line
}

// The share of a category's width that its bars take.
const (
	stackShare = 0.62
	groupShare = 0.82
)

func (b Bars) labels() labels { return labels{b.Title, b.XLabel, b.YLabel} }

func (b Bars) logY() bool { return false }

func (b Bars) entries() []entry {
	var all []entry
	for _, s := range b.Series {
		all = append(all, entry{inkKey: inkKey{barKind, s.Name}})
	}
	return append(all, lineEntries(b.Overlay, overlayKind)...)
}

// overlay returns the lines over the bars with their X spelt out.
func (b Bars) overlay() []Line {
	all := make([]Line, len(b.Overlay))
	for i, l := range b.Overlay {
		if l.X == nil {
			l.X = make([]float64, len(l.Y))
			for c := range l.X {
				l.X[c] = float64(c)
			}
		}
		all[i] = l
	}
	return all
}

// bar is one rectangle in units of the axes.
type bar struct {
	series      string
	left, right float64
	from, to    float64
}

// bars are those of the first category, of the second and so on.
func (b Bars) bars() []bar {
	all := make([]bar, 0, len(b.Series)*len(b.Categories))
	for c := range b.Categories {
		base := 0.0
		for s, series := range b.Series {
			v := series.Values[c]
			r := bar{series: series.Name, from: base, to: base + v}
			if b.Stacked {
				r.left, r.right = float64(c)-stackShare/2, float64(c)+stackShare/2
				base += v
			} else {
				width := groupShare / float64(len(b.Series))
				r.left = float64(c) - groupShare/2 + float64(s)*width
				r.right = r.left + width
			}
			all = append(all, r)
		}
	}
	return all
}

func (b Bars) xSpan() span {
	s := span{-0.5, float64(len(b.Categories)) - 0.5}
	for _, l := range b.overlay() {
		s.cover(l.X...)
	}
	return s
}

// ySpan leaves room above the bars for their labels.
func (b Bars) ySpan(d design) span {
	s := span{}
	for _, bar := range b.bars() {
		s.cover(bar.from, bar.to)
	}
	s.coverLines(b.Overlay)
	if s.lo < 0 {
		s.lo -= 0.06 * (s.hi - s.lo)
	}
	s = s.padTop(0.06)
	// Each pass moves the labels with the scale; a few are enough.
	for range 4 {
		top := 0.0 // of the highest label, as a share of the data area
		for _, t := range b.tags(frame{vg.Rectangle{Max: d.data}, b.xSpan(), s}, d.theme) {
			top = math.Max(top, float64(t.box.Max.Y/d.data.Y))
		}
		if top <= 1 {
			break
		}
		s.hi = s.lo + (s.hi-s.lo)*top
	}
	return s
}

func (b Bars) build(d design) drawing {
	return drawing{
		xAxis:    axis{b.xSpan(), false, categories(b.Categories)},
		yAxis:    axis{d.y, false, yTicks(d.y, false, d)},
		nominalX: true,
		layers: []plot.Plotter{
			rectangles{b.bars(), d}, curves{b.overlay(), overlayKind, d}, tagged{b, d.theme},
		},
	}
}

// rectangles draws bars and, where some hang below it, the line of zero.
type rectangles struct {
	bars []bar
	d    design
}

func (r rectangles) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, b := range r.bars {
		if b.from == b.to {
			continue
		}
		area := vg.Rectangle{
			Min: vg.Point{X: x(b.left), Y: y(math.Min(b.from, b.to))},
			Max: vg.Point{X: x(b.right), Y: y(math.Max(b.from, b.to))},
		}
		fillBar(c, r.d.inks[inkKey{barKind, b.series}], area)
		c.SetLineStyle(draw.LineStyle{Color: white, Width: 0.8})
		c.Stroke(area.Path())
	}
	if p.Y.Min < 0 {
		c.StrokeLine2(axisLine, c.Min.X, y(0), c.Max.X, y(0))
	}
}
