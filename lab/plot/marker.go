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

// outline returns the corners of the shape for a radius of 1, all of about the
// same area; a circle has none.
func (m marker) outline() []vg.Point {
	const arm, reach = 0.36, 1.2
	saltire := []vg.Point{
		{X: -arm, Y: -reach}, {X: arm, Y: -reach}, {X: arm, Y: -arm}, {X: reach, Y: -arm},
		{X: reach, Y: arm}, {X: arm, Y: arm}, {X: arm, Y: reach}, {X: -arm, Y: reach},
		{X: -arm, Y: arm}, {X: -reach, Y: arm}, {X: -reach, Y: -arm}, {X: -arm, Y: -arm},
	}
	switch m {
	case square:
		return polygon(4, math.Pi/4, 1.24)
	case triangle:
		return polygon(3, math.Pi/2, 1.42)
	case diamond:
		return polygon(4, 0, 1.36)
	case triangleDown:
		return polygon(3, -math.Pi/2, 1.42)
	case plus:
		return saltire
	case cross:
		sin, cos := math.Sincos(math.Pi / 4)
		for i, p := range saltire {
			x, y := float64(p.X), float64(p.Y)
			saltire[i] = vg.Point{X: vg.Length(x*cos - y*sin), Y: vg.Length(x*sin + y*cos)}
		}
		return saltire
	default:
		return nil
	}
}

// polygon returns the corners of a regular one around the origin.
func polygon(corners int, start, radius float64) []vg.Point {
	all := make([]vg.Point, corners)
	for i := range all {
		sin, cos := math.Sincos(start + 2*math.Pi*float64(i)/float64(corners))
		all[i] = vg.Point{X: vg.Length(radius * cos), Y: vg.Length(radius * sin)}
	}
	return all
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
	style := draw.LineStyle{Color: white, Width: 0.8}
	c.StrokeLines(style, area.ClipLinesXY(k.hatch.lines(r)...)...)
}

// lines returns the pattern's lines over the rectangle, not clipped.
func (h hatch) lines(r vg.Rectangle) [][]vg.Point {
	var all [][]vg.Point
	height := r.Max.Y - r.Min.Y
	if h == risingHatch || h == crossedHatch {
		for x := r.Min.X - height; x < r.Max.X; x += hatchGap {
			all = append(all, []vg.Point{{X: x, Y: r.Min.Y}, {X: x + height, Y: r.Max.Y}})
		}
	}
	if h == fallingHatch || h == crossedHatch {
		for x := r.Min.X; x < r.Max.X+height; x += hatchGap {
			all = append(all, []vg.Point{{X: x, Y: r.Min.Y}, {X: x - height, Y: r.Max.Y}})
		}
	}
	if h == levelHatch {
		for y := r.Min.Y + hatchGap/2; y < r.Max.Y; y += hatchGap / 1.6 {
			all = append(all, []vg.Point{{X: r.Min.X, Y: y}, {X: r.Max.X, Y: y}})
		}
	}
	return all
}
