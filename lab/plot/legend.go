package plot

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// entry is one name of the legend.
type entry struct {
	inkKey
	style Style
	band  bool
}

// collect returns the names of all panels in order of first appearance. A name
// has one style on a page. Errors wrap ErrFigure.
func collect(panels []Panel) ([]entry, error) {
	var all []entry
	for i, p := range panels {
		for _, e := range p.entries() {
			at := slices.IndexFunc(all, func(o entry) bool { return o.inkKey == e.inkKey })
			switch {
			case at < 0:
				all = append(all, e)
			case all[at].style != e.style:
				return nil, refuse("panel %d draws %q in another style than a panel before", i+1, e.name)
			default:
				all[at].band = all[at].band || e.band
			}
		}
	}
	return all, nil
}

// legend is the page's entries, laid out in rows.
type legend struct {
	rows   [][]entry
	column vg.Length // of a table; 0 for a single row
	theme  theme
	inks   inks
}

const (
	swatchGap  vg.Length = 5
	entryGap   vg.Length = 20
	legendLine vg.Length = 17
)

// legendFor lays out the entries in one row, or where that is too long in
// columns of equal width. Errors wrap ErrFigure.
func legendFor(entries []entry, l theme, width vg.Length) (legend, error) {
	g := legend{rows: [][]entry{entries}, theme: l, inks: inksFor(entries)}
	widest := vg.Length(0)
	for _, e := range entries {
		if g.advance(e) > width+entryGap {
			return g, refuse("the name %q does not fit in the page's width", e.name)
		}
		widest = max(widest, g.advance(e))
	}
	if g.width() <= width {
		return g, nil
	}
	columns := max(int((width+entryGap)/widest), 1)
	// As many rows as needed, filled evenly.
	rows := (len(entries) + columns - 1) / columns
	columns = (len(entries) + rows - 1) / rows
	g.column = widest
	g.rows = slices.Collect(slices.Chunk(entries, columns))
	return g, nil
}

// advance is the distance from an entry to the next of its row.
func (g legend) advance(e entry) vg.Length {
	if g.column > 0 {
		return g.column
	}
	return e.swatchWidth() + swatchGap + g.theme.legend.Width(e.name) + entryGap
}

// swatchWidth is the width of the sample beside a name.
func (e entry) swatchWidth() vg.Length {
	switch {
	case e.kind == barKind:
		return 18
	case e.style == Markers:
		return 8
	default:
		return 26
	}
}

func (g legend) height() vg.Length { return vg.Length(len(g.rows)) * legendLine }

// width is that of the first row, which is the longest.
func (g legend) width() vg.Length {
	sum := -entryGap
	for _, e := range g.rows[0] {
		sum += g.advance(e)
	}
	return sum
}

// draw writes the legend in the middle of the canvas's width, from top down.
func (g legend) draw(c draw.Canvas, top vg.Length) {
	style := g.theme.legend
	style.XAlign = draw.XLeft
	style.YAlign = draw.YCenter
	start := c.Center().X - g.width()/2
	for r, row := range g.rows {
		x, y := start, top-(vg.Length(r)+0.5)*legendLine
		for _, e := range row {
			g.swatch(c, e, vg.Point{X: x, Y: y})
			c.FillText(style, vg.Point{X: x + e.swatchWidth() + swatchGap, Y: y + 1.6}, e.name)
			x += g.advance(e)
		}
	}
}

// swatch draws the sample of an entry, beginning at the point.
func (g legend) swatch(c draw.Canvas, e entry, at vg.Point) {
	k, end := g.inks[e.inkKey], vg.Point{X: at.X + e.swatchWidth(), Y: at.Y}
	middle := vg.Point{X: at.X + e.swatchWidth()/2, Y: at.Y}
	switch {
	case e.kind == barKind:
		half := vg.Point{X: 9, Y: 5.5}
		fillBar(c, k, vg.Rectangle{Min: middle.Sub(half), Max: middle.Add(half)})
		return
	case e.style == Markers && e.band:
		errorBars(c, k, []vg.Point{{X: middle.X, Y: at.Y - 6}}, []vg.Point{{X: middle.X, Y: at.Y + 6}})
	case e.band:
		up := vg.Point{Y: 5}
		band(c, k, []vg.Point{at.Sub(up), end.Sub(up)}, []vg.Point{at.Add(up), end.Add(up)})
	}
	if e.style != Markers {
		c.StrokeLines(g.theme.stroke(k, e.style), []vg.Point{at, end})
	}
	if e.style != Reference {
		k.marker.draw(c, k, g.theme.marker, middle)
	}
}
