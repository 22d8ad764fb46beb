package plot

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
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
	text    string
	box     vg.Rectangle
	upright bool // turned
}

const tagGap vg.Length = 2.5

// tags places the bars' labels: above the bar, and above what of the overlay
// would cross it there. All are upright where one is wider than its bar's share of the
// axis.
func (b Bars) tags(f frame, l theme) []tag {
	var all []tag
	obstacles, bars, share := b.obstacles(f, l.marker), b.bars(), 1.0
	if !b.Stacked {
		share = groupShare / float64(len(b.Series))
	}
	room := f.at(share, 0).X - f.at(0, 0).X
	upright := slices.ContainsFunc(slices.Concat(b.Labels...), func(text string) bool {
		return l.tag.Width(text) > room-1
	})
	for c := range b.Categories {
		for s, row := range b.Labels {
			if row[c] == "" {
				continue
			}
			below := bars[c*len(b.Series)+s]
			middle := (below.left + below.right) / 2
			if b.Stacked {
				below, middle = bars[(c+1)*len(b.Series)-1], float64(c)
			}
			foot := f.at(middle, math.Max(below.to, 0))
			// The ink of digits and letters without much below the line.
			width, height := l.tag.Width(row[c]), 0.74*l.tag.Font.Size
			if upright {
				width, height = height, width
			}
			box := vg.Rectangle{
				Min: vg.Point{X: foot.X - width/2, Y: foot.Y + tagGap},
				Max: vg.Point{X: foot.X + width/2, Y: foot.Y + tagGap + height},
			}
			all = append(all, tag{row[c], lift(box, obstacles), upright})
		}
	}
	return all
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

// lift moves the box up until it crosses no obstacle. Each obstacle can move it
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

func (t tagged) Plot(c draw.Canvas, p *plot.Plot) {
	f := frame{c.Rectangle, span{p.X.Min, p.X.Max}, span{p.Y.Min, p.Y.Max}}
	style := t.theme.tag
	style.Color = darkGrey
	style.YAlign = draw.YBottom
	// Text drawn from its bottom stands this much above the point.
	rise := style.Font.Size - style.FontExtents().Ascent
	for _, tag := range t.bars.tags(f, t.theme) {
		at := vg.Point{X: (tag.box.Min.X + tag.box.Max.X) / 2, Y: tag.box.Min.Y - rise}
		if tag.upright {
			style.Rotation = math.Pi / 2
			style.XAlign = draw.XLeft
			at = vg.Point{X: tag.box.Max.X + rise, Y: tag.box.Min.Y}
		}
		c.FillText(style, at, tag.text)
	}
}
