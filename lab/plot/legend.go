package plot

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// entry is one name of the legend.
type entry struct {
	name  string
	kind  kind
	style Style
	band  bool
}

func (e entry) key() inkKey { return inkKey{e.kind, e.name} }

// collect returns the names of all panels in order of first appearance. A name
// has one style on a page. Errors wrap ErrFigure.
func collect(panels []Panel) ([]entry, error) {
	var all []entry
	for i, p := range panels {
		for _, e := range p.entries() {
			at := slices.IndexFunc(all, func(o entry) bool { return o.key() == e.key() })
			switch {
			case at < 0:
				all = append(all, e)
			case all[at].style != e.style:
				return nil, fmt.Errorf("%w: panel %d draws %q in another style than a panel before",
					ErrFigure, i+1, e.name)
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
	widest, sum := vg.Length(0), -entryGap
	for _, e := range entries {
		w := entryWidth(e, l)
		if w > width {
			return legend{}, fmt.Errorf("%w: the name %q does not fit in the page's width",
				ErrFigure, e.name)
		}
		widest = max(widest, w)
		sum += w + entryGap
	}
	g := legend{theme: l, inks: inksFor(entries)}
	if sum <= width {
		g.rows = [][]entry{entries}
		return g, nil
	}
	columns := max(int((width+entryGap)/(widest+entryGap)), 1)
	// As many rows as needed, filled evenly.
	rows := (len(entries) + columns - 1) / columns
	columns = (len(entries) + rows - 1) / rows
	g.column = widest + entryGap
	g.rows = slices.Collect(slices.Chunk(entries, columns))
	return g, nil
}

func entryWidth(e entry, l theme) vg.Length {
	return e.swatchWidth() + swatchGap + l.legend.Width(e.name)
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

// draw writes the legend in the middle of the canvas's width, from top down.
func (g legend) draw(c draw.Canvas, top vg.Length) {
	style := g.theme.legend
	style.XAlign = draw.XLeft
	style.YAlign = draw.YCenter
	start := c.Center().X - g.rowWidth()/2
	for r, row := range g.rows {
		x, y := start, top-(vg.Length(r)+0.5)*legendLine
		for _, e := range row {
			g.swatch(c, e, vg.Point{X: x, Y: y})
			c.FillText(style, vg.Point{X: x + e.swatchWidth() + swatchGap, Y: y + 1.6}, e.name)
			if g.column > 0 {
				x += g.column
			} else {
				x += entryWidth(e, g.theme) + entryGap
			}
		}
	}
}

// rowWidth is the width of the first row, which is the longest.
func (g legend) rowWidth() vg.Length {
	sum := -entryGap
	for _, e := range g.rows[0] {
		if g.column > 0 {
			sum += g.column
		} else {
			sum += entryWidth(e, g.theme) + entryGap
		}
	}
	return sum
}

// swatch draws the sample of an entry, beginning at the point.
func (g legend) swatch(c draw.Canvas, e entry, at vg.Point) {
	k := g.inks[e.key()]
	middle := vg.Point{X: at.X + e.swatchWidth()/2, Y: at.Y}
	if e.kind == barKind {
		half := vg.Point{X: 9, Y: 5.5}
		fillBar(c, k, vg.Rectangle{Min: middle.Sub(half), Max: middle.Add(half)})
		return
	}
	if e.style == Markers {
		if e.band {
			errorBars(c, k, []vg.Point{{X: middle.X, Y: at.Y - 6}}, []vg.Point{{X: middle.X, Y: at.Y + 6}})
		}
		k.marker.draw(c, k, g.theme.marker, middle)
		return
	}
	end := vg.Point{X: at.X + e.swatchWidth(), Y: at.Y}
	if e.band {
		up := vg.Point{Y: 5}
		band(c, k, []vg.Point{at.Sub(up), end.Sub(up)}, []vg.Point{at.Add(up), end.Add(up)})
	}
	c.StrokeLines(g.theme.stroke(k, e.style), []vg.Point{at, end})
	if e.style != Reference {
		k.marker.draw(c, k, g.theme.marker, middle)
	}
}
