package plot

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// axis is a range, how it is laid out, and its marks.
type axis struct {
	span
	scale scale
	ticks ticks
}

type grid int

const (
	bothWays grid = iota
	horizontalOnly
)

// drawing is a panel worked out: what gonum's plot needs to know.
type drawing struct {
	xAxis, yAxis axis
	grid         grid
	nominalX     bool // names stand on the x axis: no marks, slanted if wide
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
	w.xAxis.set(&p.X, d.look)
	w.yAxis.set(&p.Y, d.look)
	p.X.Tick.Label.YAlign = draw.YTop
	p.X.Tick.Label.XAlign = draw.XCenter
	if w.nominalX {
		p.X.Tick.Length = 0
		p.X.Tick.LineStyle.Width = 0
		p.X.Padding = 0
		w.slant(p, d)
	}
	lines := plotter.NewGrid()
	lines.Horizontal, lines.Vertical = gridLine, gridLine
	if w.grid == horizontalOnly {
		lines.Vertical.Color = nil
	}
	p.Add(lines)
	p.Add(w.layers...)
	p.Add(corner{})
	return p
}

// corner draws the two axis lines, over the grid and the feet of bars.
type corner struct{}

// Plot draws the lines; gonum's plots call it.
func (corner) Plot(c draw.Canvas, _ *plot.Plot) {
	c.StrokeLines(axisLine, []vg.Point{{X: c.Min.X, Y: c.Max.Y}, c.Min, {X: c.Max.X, Y: c.Min.Y}})
}

func (a axis) set(to *plot.Axis, l look) {
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
	to.Label.TextStyle = l.tick
	if a.scale == logarithmic {
		to.Scale = plot.LogScale{}
	}
}

// slant turns the names on the x axis where one is wider than its place.
func (w drawing) slant(p *plot.Plot, d design) {
	between := d.room.width / vg.Length(w.xAxis.hi-w.xAxis.lo)
	for _, t := range w.xAxis.ticks.marks {
		if d.look.tick.Width(t.Label) > between-4 {
			p.X.Tick.Label.Rotation = math.Pi / 6
			p.X.Tick.Label.XAlign = draw.XRight
			p.X.Tick.Label.YAlign = draw.YTop
			return
		}
	}
}
