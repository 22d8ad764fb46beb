package plot

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// marker is the shape that marks a point.
type marker int

const (
	circle marker = iota
	square
	triangle
	diamond
	cross
	triangleDown
	plus
	markers // how many there are
)

// regular are the shapes that are regular polygons.
var regular = map[marker]struct {
	corners       int
	start, radius float64
}{
	square:       {4, math.Pi / 4, 1.24},
	triangle:     {3, math.Pi / 2, 1.42},
	diamond:      {4, 0, 1.36},
	triangleDown: {3, -math.Pi / 2, 1.42},
}

// outline returns the corners of the shape for a radius of 1, all of about the
// same area; a circle has none.
func (m marker) outline() []vg.Point {
	const arm, tip = 0.36, 1.2
	p := regular[m]
	corners := make([]vg.Point, p.corners)
	for i := range corners {
		sin, cos := math.Sincos(p.start + 2*math.Pi*float64(i)/float64(p.corners))
		corners[i] = vg.Point{X: vg.Length(p.radius * cos), Y: vg.Length(p.radius * sin)}
	}
	if m == plus || m == cross {
		corners = []vg.Point{
			{X: -arm, Y: -tip}, {X: arm, Y: -tip}, {X: arm, Y: -arm}, {X: tip, Y: -arm},
			{X: tip, Y: arm}, {X: arm, Y: arm}, {X: arm, Y: tip}, {X: -arm, Y: tip},
			{X: -arm, Y: arm}, {X: -tip, Y: arm}, {X: -tip, Y: -arm}, {X: -arm, Y: -arm},
		}
	}
	if m == cross {
		sin, cos := math.Sincos(math.Pi / 4)
		for i, p := range corners {
			x, y := float64(p.X), float64(p.Y)
			corners[i] = vg.Point{X: vg.Length(x*cos - y*sin), Y: vg.Length(x*sin + y*cos)}
		}
	}
	return corners
}

// draw marks the point, with a white rim that sets it off from what lies under.
func (m marker) draw(c draw.Canvas, k ink, radius vg.Length, at vg.Point) {
	var path vg.Path
	if m == circle {
		path.Move(vg.Point{X: at.X + radius, Y: at.Y})
		path.Arc(at, radius, 0, 2*math.Pi)
	}
	for i, q := range m.outline() {
		if q = at.Add(q.Scale(radius)); i == 0 {
			path.Move(q)
		} else {
			path.Line(q)
		}
	}
	path.Close()
	c.SetLineStyle(draw.LineStyle{Color: white, Width: 1.6})
	c.Stroke(path)
	c.SetColor(k.color)
	c.Fill(path)
}

// hatch is the pattern of white lines on a bar.
type hatch int

const (
	plainHatch hatch = iota
	risingHatch
	fallingHatch
	crossedHatch
	levelHatch
	hatches // how many there are
)

const hatchGap vg.Length = 8

// fillBar fills a rectangle with the ink's colour and hatching.
func fillBar(c draw.Canvas, k ink, r vg.Rectangle) {
	c.SetColor(k.color)
	c.Fill(r.Path())
	area := draw.Canvas{Canvas: c.Canvas, Rectangle: r}
	var pattern vg.Path // one for all lines keeps an SVG small
	for _, line := range area.ClipLinesXY(k.hatch.lines(r)...) {
		pattern.Move(line[0])
		pattern.Line(line[1])
	}
	if len(pattern) > 0 {
		c.SetLineStyle(draw.LineStyle{Color: white, Width: 0.8})
		c.Stroke(pattern)
	}
}

// lines returns the pattern's lines over the rectangle, not clipped.
func (h hatch) lines(r vg.Rectangle) [][]vg.Point {
	var all [][]vg.Point
	line := func(x1, y1, x2, y2 vg.Length) {
		all = append(all, []vg.Point{{X: x1, Y: y1}, {X: x2, Y: y2}})
	}
	height := r.Max.Y - r.Min.Y
	rising, falling := h == risingHatch || h == crossedHatch, h == fallingHatch || h == crossedHatch
	for x := r.Min.X - height; rising && x < r.Max.X; x += hatchGap {
		line(x, r.Min.Y, x+height, r.Max.Y)
	}
	for x := r.Min.X; falling && x < r.Max.X+height; x += hatchGap {
		line(x, r.Min.Y, x-height, r.Max.Y)
	}
	for y := r.Min.Y + hatchGap/2; h == levelHatch && y < r.Max.Y; y += hatchGap / 1.6 {
		line(r.Min.X, y, r.Max.X, y)
	}
	return all
}
