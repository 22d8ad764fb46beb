package plot

import (
	"cmp"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	margin    vg.Length = 10
	titleLine vg.Length = 22
	labelLine vg.Length = 18
	panelGap  vg.Length = 14
	headGap   vg.Length = 6 // below the legend

	panelTitleLine vg.Length = 19
)

// The smallest data area that shows anything.
const (
	leastWidth  vg.Length = 60
	leastHeight vg.Length = 45
)

// layout is a page worked out, in points.
type layout struct {
	page                Page
	width, height, head vg.Length // head is that of title and legend
	theme               theme
	legend              legend
	common              labels
}

// layout checks the page and lays it out. Errors wrap ErrFigure.
func (p Page) layout() (layout, error) {
	if err := p.check(); err != nil {
		return layout{}, err
	}
	entries, err := collect(p.Panels)
	if err != nil {
		return layout{}, err
	}
	l := layout{page: p, width: vg.Length(cmp.Or(p.Width, defaultWidth)) * pixel,
		theme: themeFor(p.columns()), common: p.common()}
	if l.legend, err = legendFor(entries, l.theme, l.width-2*margin); err != nil {
		return layout{}, err
	}
	if p.Ends {
		l.legend.rows = nil
	}
	l.head = margin + l.legend.height() + headGap
	if p.title() != "" {
		l.head += titleLine
	}
	panel := cmp.Or(map[int]int{1: 480, 2: 340}[p.columns()], 270)
	height := cmp.Or(p.Height, p.rows()*panel+int(math.Ceil(float64(l.head/pixel))))
	l.height = vg.Length(height) * pixel
	return l, nil
}

// draw draws the page. Errors wrap ErrFigure.
func (l layout) draw(c draw.Canvas) error {
	c.SetColor(white)
	c.Fill(c.Rectangle.Path())
	top := c.Max.Y - margin
	if title := l.page.title(); title != "" {
		at := vg.Point{X: c.Center().X, Y: top}
		if err := l.write(c, l.theme.title, at, title, l.width); err != nil {
			return err
		}
		top -= titleLine
	}
	if !l.page.Ends {
		l.legend.draw(c, top)
	}
	body := draw.Crop(c, margin, -margin, margin, -l.head)
	if l.common.x != "" {
		body.Min.Y += labelLine
	}
	if l.common.y != "" {
		body.Min.X += labelLine
	}
	data, err := l.panels(body)
	if err != nil {
		return err
	}
	corner := vg.Point{X: c.Min.X + margin, Y: c.Min.Y + margin + labelLine - 4}
	return l.writeAxes(c, l.common, corner, data.Center(), vg.Point{X: l.width, Y: l.height})
}

// writeAxes writes the labels of the axes, below and beside the middle of the data.
func (l layout) writeAxes(c draw.Canvas, t labels, corner, middle, room vg.Point) error {
	turned := l.theme.label
	turned.Rotation = math.Pi / 2
	return cmp.Or(
		l.write(c, l.theme.label, vg.Point{X: middle.X, Y: corner.Y}, t.x, room.X),
		l.write(c, turned, vg.Point{X: corner.X, Y: middle.Y}, t.y, room.Y))
}

// write writes a text that must not be longer than the room. Errors wrap
// ErrFigure.
func (l layout) write(
	c draw.Canvas, style text.Style, at vg.Point, txt string, room vg.Length,
) error {
	straight := style
	straight.Rotation = 0
	if straight.Width(txt) > room {
		return refuse("%q does not fit in %.0f pixels", txt, room/pixel)
	}
	c.FillText(style, at, txt)
	return nil
}

// panels draws the grid of panels and returns the area that all their data span.
func (l layout) panels(c draw.Canvas) (all draw.Canvas, err error) {
	tiles := l.tiles()
	designs := l.designs(tiles.At(c, 0, 0))
	plots := make([][]*plot.Plot, tiles.Rows)
	for i, p := range l.page.Panels {
		row := &plots[i/tiles.Cols]
		*row = append(*row, p.build(designs[i]).plot(designs[i]))
	}
	last := &plots[tiles.Rows-1]
	*last = append(*last, make([]*plot.Plot, tiles.Cols-len(*last))...)
	canvases := plot.Align(plots, tiles, c)
	for i := range l.page.Panels {
		p, area := plots[i/tiles.Cols][i%tiles.Cols], canvases[i/tiles.Cols][i%tiles.Cols]
		data := p.DataCanvas(area)
		if err := l.panel(i, p, area, data); err != nil {
			return all, err
		}
		if i == 0 {
			all = data
		}
		if i < tiles.Cols {
			all.Max.X = data.Max.X
		}
		all.Min.Y = data.Min.Y
	}
	return all, nil
}

// tiles leaves room for the titles and axis labels that some panel writes itself.
func (l layout) tiles() draw.Tiles {
	t := draw.Tiles{Cols: l.page.columns(), Rows: l.page.rows(), PadX: panelGap, PadY: panelGap}
	for i := range l.page.Panels {
		own := l.page.own(i)
		if own.title != "" {
			t.PadTop = panelTitleLine
		}
		if own.x != "" {
			t.PadBottom = labelLine
		}
		if own.y != "" {
			t.PadLeft = labelLine
		}
	}
	t.PadX += t.PadLeft
	t.PadY += t.PadTop + t.PadBottom
	return t
}

// designs returns the panels' designs, for tiles of that size.
func (l layout) designs(tile draw.Canvas) []design {
	ticks := 4.5 * l.theme.tick.Font.Size
	d := design{theme: l.theme, inks: l.legend.inks, ends: l.page.Ends, data: vg.Point{
		X: max(tile.Max.X-tile.Min.X-ticks, leastWidth),
		Y: max(tile.Max.Y-tile.Min.Y-ticks, leastHeight),
	}}
	all := make([]design, len(l.page.Panels))
	shared := emptySpan()
	for i, p := range l.page.Panels {
		d.y = p.ySpan(d)
		all[i] = d
		shared.cover(d.y.lo, d.y.hi)
	}
	for i := range all {
		if l.page.SharedY {
			all[i].y = shared
		}
	}
	return all
}

// panel draws one panel and the texts of its own. Errors wrap ErrFigure.
func (l layout) panel(i int, p *plot.Plot, c, data draw.Canvas) error {
	size := data.Size()
	if size.X < leastWidth || size.Y < leastHeight {
		return refuse("panel %d has %.0f x %.0f pixels left for its data", i+1, size.X/pixel,
			size.Y/pixel)
	}
	p.Draw(c)
	own, middle := l.page.own(i), data.Center()
	at := vg.Point{X: middle.X, Y: data.Max.Y + panelTitleLine}
	if err := l.write(c, l.theme.panelTitle, at, own.title, size.X+3*panelGap); err != nil {
		return err
	}
	room := size.Add(vg.Point{X: 2 * panelGap, Y: 2 * panelGap})
	return l.writeAxes(c, own, vg.Point{X: c.Min.X - labelLine, Y: c.Min.Y - 4}, middle, room)
}
