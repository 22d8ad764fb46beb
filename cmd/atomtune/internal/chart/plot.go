package chart

import (
	"fmt"
	"math"
	"strings"
)

// Axis is a scale with a title, and what its values are called.
type Axis struct {
	Title string
	Scale Scale
	Label func(float64) string
}

// Point is a place in a plot. One with a NaN is a gap in a line.
type Point struct{ X, Y float64 }

// Line joins points. Class is the page's name for its colour.
type Line struct {
	Class  string
	Points []Point
}

type Band struct{ X, Low, High float64 }

// Bar stands on the axis from one value of x to another.
type Bar struct{ From, To, Y float64 }

// Span is a stretch of the x axis, shown above the plot under its name, or a short one where that has no room.
type Span struct {
	Class, Name, Short string
	From, To           float64
}

// Mark is a vertical line with a name above the plot.
type Mark struct {
	Name string
	X    float64
}

// Plot is a picture over two axes.
type Plot struct {
	ID, Title, Description string
	X, Y                   Axis
	Area                   []Band
	Bars                   []Bar
	Lines                  []Line
	Dots                   []Point
	Spans                  []Span
	Marks                  []Mark
	Level                  *float64 // a horizontal line, nil for none
}

// Lengths of a plot, in the units of its width.
const (
	width, height = 400, 260
	topMargin     = 48 // with the title of y and the names of marks
	bottomMargin  = 44
	rightMargin   = 14
	tickLength    = 4
	tickSpace     = 24 // between ticks of y
	spanHeight    = 7
	spanRow       = 15 // with the names of spans
	labelGap      = 14 // between neighbouring labels of x
)

type frame struct {
	canvas
	*Plot
	left, right, top, bottom float64
}

func (p *Plot) SVG() string {
	f := frame{Plot: p, right: width - rightMargin, top: topMargin, bottom: height - bottomMargin}
	if len(p.Spans) > 0 {
		f.top, f.bottom = f.top+spanRow, f.bottom+spanRow
	}
	ys := p.Y.Scale.Ticks(int((f.bottom-f.top)/tickSpace) + 1)
	for _, y := range ys {
		f.left = max(f.left, textWidth(p.Y.Label(y))+tickLength+6)
	}
	f.axes(ys)
	f.content()
	f.marks()
	return f.svg(p.ID, p.Title, p.Description, width, f.bottom+bottomMargin)
}

func (f *frame) x(v float64) float64 { return f.left + f.X.Scale.Place(v)*(f.right-f.left) }
func (f *frame) y(v float64) float64 { return f.bottom - f.Y.Scale.Place(v)*(f.bottom-f.top) }

func (f *frame) axes(ys []float64) {
	f.text("axis", "", 2, 14, f.Y.Title)
	f.text("axis", "end", f.right, f.bottom+bottomMargin-4, f.X.Title)
	for _, v := range ys {
		y := f.y(v)
		f.line("grid", f.left, y, f.right, y)
		f.text("tick", "end", f.left-tickLength-2, y+4.5, f.Y.Label(v))
	}
	for _, v := range f.xTicks() {
		x, label := f.x(v), f.X.Label(v)
		f.line("base", x, f.bottom, x, f.bottom+tickLength)
		f.text("tick", "middle", f.centre(x, label), f.bottom+tickLength+13, label)
	}
	f.line("base", f.left, f.bottom, f.right, f.bottom)
}

// xTicks returns as many ticks as have room for their labels.
func (f *frame) xTicks() (ticks []float64) {
	for most := 9; most > 0; most-- {
		ticks = f.X.Scale.Ticks(most)
		end, fits := math.Inf(-1), true
		for _, v := range ticks {
			label := f.X.Label(v)
			x, half := f.centre(f.x(v), label), textWidth(label)/2
			fits, end = fits && x-half >= end+labelGap, x+half
		}
		if fits {
			break
		}
	}
	return ticks
}

// centre moves the middle of a label so that it stays in the picture.
func (f *frame) centre(x float64, label string) float64 {
	half := textWidth(label)/2 + 2
	return min(max(x, half), width-half)
}

func (f *frame) content() {
	if len(f.Area) > 0 { // along the upper ends, and back along the lower ones
		points := make([]Point, 2*len(f.Area))
		for i, b := range f.Area {
			points[i], points[len(points)-1-i] = Point{b.X, b.High}, Point{b.X, b.Low}
		}
		f.path("area", f.through(points)+"Z")
	}
	for _, b := range f.Bars {
		x := f.x(b.From)
		f.rect("bar", x, f.y(b.Y), max(f.x(b.To)-x, 0.5), f.bottom-f.y(b.Y))
	}
	if f.Level != nil {
		f.line("level", f.left, f.y(*f.Level), f.right, f.y(*f.Level))
	}
	for _, l := range f.Lines {
		f.path("line "+l.Class, f.through(l.Points))
	}
	for _, p := range f.Dots {
		f.shape("circle", "dot", "cx cy r", f.x(p.X), f.y(p.Y), 4)
	}
}

// through joins points, and starts over after a gap.
func (f *frame) through(points []Point) string {
	var b strings.Builder
	verb := "M"
	for _, p := range points {
		if math.IsNaN(p.Y) {
			verb = "M"
			continue
		}
		fmt.Fprintf(&b, "%s%s %s", verb, number(f.x(p.X)), number(f.y(p.Y)))
		verb = "L"
	}
	return b.String()
}

// marks draws the spans as a strip above the plot, and marks, with their names, as far as these have room:
// the short one of a span begins in it.
func (f *frame) marks() {
	strip, end := f.top-spanHeight-3, math.Inf(-1)
	for _, s := range f.Spans {
		x, to := f.x(s.From), f.x(s.To)
		f.rect("span "+s.Class, x, strip, to-x, spanHeight)
		name := s.Name
		if max(x, end+labelGap)+textWidth(name) > to {
			name = s.Short
		}
		start := min(max(x, end+labelGap), width-textWidth(name))
		if start >= end+labelGap && start <= to {
			f.text("tick", "", start, strip-4, name)
			end = start + textWidth(name)
		}
	}
	row := strip - 6
	if len(f.Spans) > 0 {
		row -= spanRow
	}
	end = math.Inf(-1)
	for _, m := range f.Marks {
		x := f.x(m.X)
		f.line("mark", x, strip-2, x, f.bottom)
		middle, half := f.centre(x, m.Name), textWidth(m.Name)/2
		if middle-half >= end+labelGap {
			f.text("tick", "middle", middle, row, m.Name)
			end = middle + half
		}
	}
}
