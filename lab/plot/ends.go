package plot

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const endGap vg.Length = 6 // between the end of a line, its mark and its name

// ends writes the names of lines to the right of their last points, none over another.
type ends struct{ curves }

// widen leaves room for the names on a linear axis of x.
func (e ends) widen(x span) span {
	room := vg.Length(0)
	for _, l := range e.lines {
		room = max(room, 3*endGap+e.d.theme.tag.Width(l.Name))
	}
	x.hi += (x.hi - x.lo) * float64(room/max(e.d.data.X-room, leastWidth))
	return x
}

func (e ends) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := e.d.theme.tag
	style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
	last := func(l Line) vg.Length { return y(l.Y[len(l.Y)-1]) }
	lines := slices.SortedStableFunc(slices.Values(e.lines), func(a, b Line) int { return cmp.Compare(last(a), last(b)) })
	places := make([]vg.Length, len(lines))
	for i, l := range lines {
		places[i] = last(l)
	}
	spread(places, 1.25*style.Font.Size, c.Max.Y)
	for i, l := range lines {
		at := vg.Point{X: x(slices.Max(l.X)) + 2*endGap, Y: places[i]}
		e.ink(l).marker.draw(c, e.ink(l), e.d.theme.marker, at)
		c.FillText(style, vg.Point{X: at.X + endGap, Y: at.Y + 1.6}, l.Name)
	}
}

// spread moves ascending places apart, to such a distance, upwards and then down below the highest that may be.
func spread(places []vg.Length, distance, highest vg.Length) {
	for i := 1; i < len(places); i++ {
		places[i] = max(places[i], places[i-1]+distance)
	}
	for i := len(places) - 1; i >= 0; i-- {
		places[i] = min(places[i], highest)
		highest = places[i] - distance
	}
}
