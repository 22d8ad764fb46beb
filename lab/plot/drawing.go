package plot

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// axis is a range, how it is laid out, and its marks.
type axis struct {
	span
	log   bool
	ticks ticks
}

// drawing is a panel worked out: what gonum's plot needs to know.
type drawing struct {
	xAxis, yAxis axis
	nominalX     bool // names stand on the x axis, without marks and grid
	layers       []plot.Plotter
}

var (
	axisLine = draw.LineStyle{Color: darkGrey, Width: 0.8}
	gridLine = draw.LineStyle{Color: lightGrey, Width: 0.7}
)

// plot returns gonum's plot of the drawing, without title and axis labels.
func (w drawing) plot(d design) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	w.xAxis.set(&p.X, d.theme)
	w.yAxis.set(&p.Y, d.theme)
	lines := plotter.NewGrid()
	lines.Horizontal, lines.Vertical = gridLine, gridLine
	label := &p.X.Tick.Label
	label.YAlign, label.XAlign = draw.YTop, draw.XCenter
	if w.nominalX {
		p.X.Tick.Length = 0
		p.X.Tick.LineStyle.Width = 0
		lines.Vertical.Color = nil
	}
	if w.crowded(p, d.data.X) { // slanted, so that they end at their ticks
		label.Rotation, label.XAlign = math.Pi/6, draw.XRight
	}
	p.Add(lines)
	p.Add(w.layers...)
	p.Add(corner{})
	return p
}

// corner draws the two axis lines, over the grid and the feet of bars.
type corner struct{}

func (corner) Plot(c draw.Canvas, _ *plot.Plot) {
	c.StrokeLines(axisLine, []vg.Point{{X: c.Min.X, Y: c.Max.Y}, c.Min, {X: c.Max.X, Y: c.Min.Y}})
}

func (a axis) set(to *plot.Axis, l theme) {
	to.Min, to.Max = a.lo, a.hi
	to.LineStyle.Width = 0 // corner draws the line
	to.Padding = 0
	to.Tick.LineStyle = axisLine
	to.Tick.Length = 4
	to.Tick.Marker = plot.ConstantTicks(a.ticks.marks)
	to.Tick.Label.Font = l.tick.Font
	to.Tick.Label.Color = darkGrey
	to.Tick.Label.Handler = fonts
	if a.ticks.powers {
		to.Tick.Label.Handler = raised{fonts}
	}
	to.Label.TextStyle = l.tick // its space parts ticks from their labels
	if a.log {
		to.Scale = plot.LogScale{}
	}
}

// crowded reports whether two neighbouring labels of the x axis would touch. Those of
// powers are set apart already.
func (w drawing) crowded(p *plot.Plot, width vg.Length) bool {
	marks := slices.DeleteFunc(slices.Clone(w.xAxis.ticks.marks), plot.Tick.IsMinor)
	slices.SortFunc(marks, func(a, b plot.Tick) int { return cmp.Compare(a.Value, b.Value) })
	for i := 1; i < len(marks); i++ {
		between := vg.Length(p.X.Norm(marks[i].Value)-p.X.Norm(marks[i-1].Value)) * width
		text := (p.X.Tick.Label.Width(marks[i-1].Label) + p.X.Tick.Label.Width(marks[i].Label)) / 2
		if text+4 > between {
			return !w.xAxis.ticks.powers
		}
	}
	return false
}
