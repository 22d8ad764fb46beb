package plot

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// frame maps linear axes to an area of the page.
type frame struct {
	area vg.Rectangle
	x, y span
}

func (f frame) at(x, y float64) vg.Point {
	return vg.Point{
		X: f.area.Min.X + vg.Length((x-f.x.lo)/(f.x.hi-f.x.lo))*(f.area.Max.X-f.area.Min.X),
		Y: f.area.Min.Y + vg.Length((y-f.y.lo)/(f.y.hi-f.y.lo))*(f.area.Max.Y-f.area.Min.Y),
	}
}

// tag is a text above a bar, in the box that it fills.
type tag struct {
	text string
	box  vg.Rectangle
}

const tagGap vg.Length = 2.5

// tags places the bars' labels: above the bar, and above what of the overlay
// would cross it there. Upright tells whether the labels are turned because
// one is wider than its bar's share of the axis.
func (b Bars) tags(f frame, l theme) []tag {
	var all []tag
	obstacles := b.obstacles(f, l.marker)
	upright := b.upright(f, l.tag)
	for c := range b.Categories {
		for s, row := range b.Labels {
			if row[c] == "" {
				continue
			}
			width, height := tagSize(row[c], l.tag, upright)
			top := b.top(s, c)
			foot := f.at(top.X, top.Y)
			box := vg.Rectangle{
				Min: vg.Point{X: foot.X - width/2, Y: foot.Y + tagGap},
				Max: vg.Point{X: foot.X + width/2, Y: foot.Y + tagGap + height},
			}
			all = append(all, tag{row[c], lift(box, obstacles)})
		}
	}
	return all
}

// point is a place in units of the axes.
type point struct{ X, Y float64 }

// top is the middle of the upper edge of what row s of the labels stands on.
func (b Bars) top(s, category int) point {
	if b.Stacked {
		sum := 0.0
		for _, series := range b.Series {
			sum += series.Values[category]
		}
		return point{float64(category), sum}
	}
	r := b.bars()[category*len(b.Series)+s]
	return point{(r.left + r.right) / 2, math.Max(r.to, 0)}
}

// upright tells whether some label is wider than the room above its bar.
func (b Bars) upright(f frame, style text.Style) bool {
	share := 1.0
	if !b.Stacked {
		share = groupShare / float64(len(b.Series))
	}
	room := f.at(share, 0).X - f.at(0, 0).X
	for _, row := range b.Labels {
		for _, text := range row {
			if style.Width(text) > room-1 {
				return true
			}
		}
	}
	return false
}

// tagSize is the size of the ink of a text of digits and letters without much
// below the line.
func tagSize(txt string, style text.Style, upright bool) (width, height vg.Length) {
	width, height = style.Width(txt), 0.74*style.Font.Size
	if upright {
		return height, width
	}
	return width, height
}

// obstacles returns the boxes of the overlay's marks, error bars and lines.
func (b Bars) obstacles(f frame, radius vg.Length) []vg.Rectangle {
	var all []vg.Rectangle
	for _, l := range b.overlay() {
		for i := range l.X {
			p := f.at(l.X[i], l.Y[i])
			all = append(all, around(p, p, radius+1))
			if l.Low != nil {
				all = append(all, around(f.at(l.X[i], l.Low[i]), f.at(l.X[i], l.High[i]), radius))
			}
			if i > 0 && l.Style != Markers {
				all = append(all, pieces(f.at(l.X[i-1], l.Y[i-1]), p)...)
			}
		}
	}
	return all
}

// pieces covers a slanted line with small boxes.
func pieces(from, to vg.Point) []vg.Rectangle {
	const length = 4
	n := 1 + int(math.Hypot(float64(to.X-from.X), float64(to.Y-from.Y))/length)
	all := make([]vg.Rectangle, n)
	for i := range all {
		a, b := vg.Length(i)/vg.Length(n), vg.Length(i+1)/vg.Length(n)
		all[i] = around(from.Add(to.Sub(from).Scale(a)), from.Add(to.Sub(from).Scale(b)), 1)
	}
	return all
}

// around is the box of two points with a margin.
func around(p, q vg.Point, margin vg.Length) vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: min(p.X, q.X) - margin, Y: min(p.Y, q.Y) - margin},
		Max: vg.Point{X: max(p.X, q.X) + margin, Y: max(p.Y, q.Y) + margin},
	}
}

// lift moves the box up until it meets no obstacle. Each obstacle can move it
// once only, so that it ends.
func lift(box vg.Rectangle, obstacles []vg.Rectangle) vg.Rectangle {
	for moved := true; moved; {
		moved = false
		for _, o := range obstacles {
			if o.Min.X < box.Max.X && o.Max.X > box.Min.X && o.Min.Y < box.Max.Y && o.Max.Y > box.Min.Y {
				up := vg.Point{Y: o.Max.Y + 1 - box.Min.Y}
				box, moved = box.Add(up), true
			}
		}
	}
	return box
}

// tagged draws the labels above the bars.
type tagged struct {
	bars  Bars
	theme theme
}

// Plot draws the labels; gonum's plots call it.
func (t tagged) Plot(c draw.Canvas, p *plot.Plot) {
	f := frame{c.Rectangle, span{p.X.Min, p.X.Max}, span{p.Y.Min, p.Y.Max}}
	style := t.theme.tag
	style.Color = darkGrey
	style.YAlign = draw.YBottom
	upright := t.bars.upright(f, style)
	for _, tag := range t.bars.tags(f, t.theme) {
		// Text drawn from its bottom stands this much above the point.
		rise := style.Font.Size - style.FontExtents().Ascent
		at := vg.Point{X: (tag.box.Min.X + tag.box.Max.X) / 2, Y: tag.box.Min.Y - rise}
		if upright {
			style.Rotation = math.Pi / 2
			style.XAlign = draw.XLeft
			at = vg.Point{X: tag.box.Max.X + rise, Y: tag.box.Min.Y}
		}
		c.FillText(style, at, tag.text)
	}
}
