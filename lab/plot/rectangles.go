package plot

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// rectangles draws bars and, where some hang below it, the line of zero.
type rectangles struct {
	bars  []bar
	names []string
	d     design
}

// Plot draws the bars; gonum's plots call it.
func (r rectangles) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	rim := draw.LineStyle{Color: white, Width: 0.8}
	for _, b := range r.bars {
		if b.from == b.to {
			continue
		}
		area := vg.Rectangle{
			Min: vg.Point{X: x(b.left), Y: y(math.Min(b.from, b.to))},
			Max: vg.Point{X: x(b.right), Y: y(math.Max(b.from, b.to))},
		}
		fillBar(c, r.d.inks[inkKey{barKind, r.names[b.series]}], area)
		c.SetLineStyle(rim)
		c.Stroke(area.Path())
	}
	if p.Y.Min < 0 {
		c.StrokeLine2(axisLine, c.Min.X, y(0), c.Max.X, y(0))
	}
}
