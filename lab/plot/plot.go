// Package plot draws the figures of the laboratory with gonum/plot: panels of lines or bars on a page, with one
// legend in which a name has the same colour and mark in every panel.
package plot

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ErrFigure is wrapped by the errors about what cannot be drawn.
var ErrFigure = errors.New("figure cannot be drawn")

// Page is what one picture shows.
type Page struct {
	Title  string
	Panels []Panel // row by row
	// Columns of the grid; 0 chooses 1 for one panel, 2 up to four panels, 3 beyond.
	Columns int
	// Width and Height in CSS pixels, 1/96 inch each; a Width of 0 is 900, a Height of 0 follows from the rows.
	Width, Height int
	SharedY       bool // all panels have the same range of the y axis
	Ends          bool // the names of lines stand at their ends instead of in a legend
}

// Panel is one drawing of a page: a Figure or a Bars.
type Panel interface {
	build(p *plot.Plot, k *key) error
}

// Style says how a Line joins and marks its points.
type Style int

// Solid and Dashed lines join their points and mark them, Markers only marks them. A Reference is grey and dashed
// without marks, for what is not data: a ratio of one, a limit.
const (
	Solid Style = iota
	Dashed
	Markers
	Reference
)

// Line is one series of a Figure.
type Line struct {
	Name  string
	X, Y  []float64 // of one length
	Style Style
	// Low and High, both or neither, are the ends of error bars.
	Low, High []float64
}

// Tick is a named place on an axis.
type Tick struct {
	Value float64
	Label string
}

// Figure draws lines.
type Figure struct {
	Title          string
	XLabel, YLabel string // of the quantity and its unit
	Lines          []Line
	XLog, YLog     bool
	XTicks         []Tick // replace the x axis's own
	YFit           bool   // a linear y axis begins near the smallest value instead of at zero
}

func (f Figure) build(p *plot.Plot, k *key) error {
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = f.Title, f.XLabel, f.YLabel
	if f.XLog {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks(baseOf(f.Lines))
	}
	if f.YLog {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks(10)
	}
	if len(f.XTicks) > 0 {
		var marks plot.ConstantTicks
		for _, t := range f.XTicks {
			marks = append(marks, plot.Tick(t))
			p.X.Min, p.X.Max = min(p.X.Min, t.Value), max(p.X.Max, t.Value)
		}
		p.X.Tick.Marker = marks
	}
	for _, l := range f.Lines {
		if len(l.Y) == 0 || f.XLog && slices.Min(l.X) <= 0 || f.YLog && slices.Min(l.Y) <= 0 {
			return fmt.Errorf("%w: %s: no points, or a value that has no logarithm", ErrFigure, l.Name)
		}
		if err := k.line(p, l, k.look(l.Name)); err != nil {
			return err
		}
	}
	if !f.YLog && !f.YFit {
		p.Y.Min = min(p.Y.Min, 0)
	}
	if k.ends {
		p.Add(ends{k, f.Lines})
		p.X.Max += 0.36 * (p.X.Max - p.X.Min)
	}
	return nil
}

// baseOf is 2 where all x are powers of two, else 10.
func baseOf(lines []Line) int {
	for _, l := range lines {
		if slices.ContainsFunc(l.X, func(x float64) bool { f, _ := math.Frexp(x); return f != 0.5 }) {
			return 10
		}
	}
	return 2
}

// Series is one value for each category of a Bars.
type Series struct {
	Name   string
	Values []float64
}

// Bars draws grouped or stacked bars.
type Bars struct {
	Title          string
	XLabel, YLabel string // of the quantity and its unit
	Categories     []string
	Series         []Series
	Stacked        bool
	// Labels, where not nil, are texts above the bars: one row for each series, or a single one for stacks.
	Labels [][]string
	// Overlay are lines over the bars. Their X are places among the categories, from 0 on; nil: one at each.
	Overlay []Line
}

func (b Bars) build(p *plot.Plot, k *key) error {
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = b.Title, b.XLabel, b.YLabel
	p.NominalX(b.Categories...)
	groups := len(b.Series)
	if b.Stacked {
		groups = 1
	}
	width := 0.75 * k.width / vg.Length(len(b.Categories)*groups)
	var below *plotter.BarChart
	tops := make([]float64, len(b.Categories)) // of stacks
	for i, s := range b.Series {
		bars, err := plotter.NewBarChart(plotter.Values(s.Values), width)
		if err != nil || len(s.Values) != len(b.Categories) {
			return errors.Join(fmt.Errorf("%w: %s: want a value for each category", ErrFigure, s.Name), err)
		}
		bars.Color, bars.LineStyle.Width = k.look(s.Name).Color, 0
		if b.Stacked && below != nil {
			bars.StackOn(below)
		} else if !b.Stacked {
			bars.Offset = width * (vg.Length(i) - vg.Length(groups-1)/2)
		}
		below = bars
		p.Add(bars)
		k.add(s.Name, bars)
		for c, v := range s.Values {
			tops[c] = v + tops[c]*float64(1-min(1, max(0, groups-1)))
		}
		if row := i; !b.Stacked && row < len(b.Labels) {
			if err := k.labels(p, b.Labels[row], s.Values, bars.Offset); err != nil {
				return err
			}
		}
	}
	if b.Stacked && len(b.Labels) > 0 {
		if err := k.labels(p, b.Labels[0], tops, 0); err != nil {
			return err
		}
	}
	for _, l := range b.Overlay {
		if l.X == nil {
			for i := range l.Y {
				l.X = append(l.X, float64(i))
			}
		}
		over := k.look(l.Name)
		over.Color = color.Black
		if err := k.line(p, l, over); err != nil {
			return err
		}
	}
	p.X.Min, p.X.Max = -0.6, float64(len(b.Categories))-0.4
	p.Y.Min, p.Y.Max = min(p.Y.Min, 0), p.Y.Max*1.08
	if len(fmt.Sprint(b.Categories)) > int(k.width/5) {
		p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = 0.6, text.XRight, text.YCenter
	}
	return nil
}

// ends writes the names of lines to the right of their last points, none over another.
type ends struct {
	k     *key
	lines []Line
}

func (e ends) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := p.X.Tick.Label
	style.XAlign, style.YAlign = text.XLeft, text.YCenter
	last := func(l Line) float64 { return l.Y[len(l.Y)-1] }
	right, highest := 0.0, c.Max.Y-4
	for _, l := range e.lines {
		right = max(right, slices.Max(l.X))
	}
	for _, l := range slices.SortedStableFunc(slices.Values(e.lines), func(a, b Line) int {
		return cmp.Compare(last(b), last(a))
	}) {
		at := vg.Point{X: x(right) + 10, Y: min(y(last(l)), highest)}
		highest = at.Y - 1.3*style.Font.Size
		c.DrawGlyph(e.k.look(l.Name), at)
		c.FillText(style, vg.Point{X: at.X + 6, Y: at.Y}, l.Name)
	}
}
