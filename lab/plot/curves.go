package plot

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A joined line of more points than mostMarks has about fewMarks marks.
const (
	mostMarks = 40
	fewMarks  = 20
)

// curves draws lines: all bands below all lines below all markers.
type curves struct {
	lines []Line
	kind  kind
	d     design
}

func (k curves) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(xs, ys []float64) []vg.Point {
		all := make([]vg.Point, len(xs))
		for i := range xs {
			all[i] = vg.Point{X: x(xs[i]), Y: y(ys[i])}
		}
		return all
	}
	for _, l := range k.lines {
		if l.Low != nil && l.Style != Markers {
			band(c, k.ink(l), at(l.X, l.Low), at(l.X, l.High))
		}
	}
	for _, l := range k.lines {
		if l.Style != Markers {
			c.StrokeLines(k.d.theme.stroke(k.ink(l), l.Style), at(l.X, l.Y))
		} else if l.Low != nil {
			errorBars(c, k.ink(l), at(l.X, l.Low), at(l.X, l.High))
		}
	}
	for _, l := range k.lines {
		if l.Style == Reference {
			continue
		}
		points, stride := at(l.X, l.Y), 1
		if l.Style != Markers && len(points) > mostMarks {
			stride = (len(points) + fewMarks - 1) / fewMarks
		}
		for i := 0; i < len(points); i += stride {
			k.ink(l).marker.draw(c, k.ink(l), k.d.theme.marker, points[i])
		}
	}
}

func (k curves) ink(l Line) ink { return k.d.inks[inkKey{k.kind, l.Name}] }

// stroke is the style of a joined line.
func (l theme) stroke(k ink, s Style) draw.LineStyle {
	style := draw.LineStyle{Color: k.color, Width: l.line}
	switch s {
	case Dashed:
		style.Dashes = []vg.Length{5, 3}
	case Reference:
		style.Dashes, style.Width = []vg.Length{2, 2}, 1
	}
	return style
}

func band(c draw.Canvas, k ink, low, high []vg.Point) {
	high = slices.Clone(high)
	slices.Reverse(high)
	k.color.A = 48 // translucent
	c.FillPolygon(k.color, slices.Concat(low, high))
}

func errorBars(c draw.Canvas, k ink, low, high []vg.Point) {
	const half vg.Length = 3
	style := draw.LineStyle{Color: k.color, Width: 1}
	for i := range low {
		x, from, to := low[i].X, low[i].Y, high[i].Y
		c.StrokeLine2(style, x, from, x, to)
		c.StrokeLine2(style, x-half, from, x+half, from)
		c.StrokeLine2(style, x-half, to, x+half, to)
	}
}
