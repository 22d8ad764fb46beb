package plot

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
