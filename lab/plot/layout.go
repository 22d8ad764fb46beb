package plot

import (
	"fmt"
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
	page          Page
	width, height vg.Length
	theme         theme
	legend        legend
	common        labels
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
	l := layout{page: p, width: vg.Length(p.width()) * pixel, theme: themeFor(p.columns()),
		common: p.common()}
	l.legend, err = legendFor(entries, l.theme, l.width-2*margin)
	if err != nil {
		return layout{}, err
	}
	l.height = vg.Length(p.height(l.head())) * pixel
	return l, nil
}

// head is the height of the title and the legend.
func (l layout) head() vg.Length {
	h := margin + l.legend.height() + headGap
	if l.page.title() != "" {
		h += titleLine
	}
	return h
}

// height in pixels, for a heading of that height in points.
func (p Page) height(head vg.Length) int {
	if p.Height != 0 {
		return p.Height
	}
	panel := map[int]int{1: 480, 2: 340}[p.columns()]
	if panel == 0 {
		panel = 270
	}
	return p.rows()*panel + int(math.Ceil(float64(head/pixel)))
}

// draw draws the page. Errors wrap ErrFigure.
func (l layout) draw(c draw.Canvas) error {
	c.SetColor(white)
	c.Fill(c.Rectangle.Path())
	top := c.Max.Y - margin
	if title := l.page.title(); title != "" {
		if err := l.write(c, l.theme.title, vg.Point{X: c.Center().X, Y: top}, title,
			l.width); err != nil {
			return err
		}
		top -= titleLine
	}
	l.legend.draw(c, top)
	body := draw.Crop(c, margin, -margin, margin, -l.head())
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
	return l.commonLabels(c, data)
}

// commonLabels writes the axis labels that all panels share, below and beside
// the middle of the data.
func (l layout) commonLabels(c, data draw.Canvas) error {
	at := vg.Point{X: data.Center().X, Y: c.Min.Y + margin + labelLine - 4}
	if err := l.write(c, l.theme.label, at, l.common.x, l.width); err != nil {
		return err
	}
	at = vg.Point{X: c.Min.X + margin, Y: data.Center().Y}
	return l.write(c, turned(l.theme.label), at, l.common.y, l.height)
}

// turned is the style of the text beside a y axis.
func turned(s text.Style) text.Style {
	s.Rotation = math.Pi / 2
	return s
}

// write writes a text that must not be longer than the room. Errors wrap
// ErrFigure.
func (l layout) write(c draw.Canvas, style text.Style, at vg.Point, txt string,
	room vg.Length) error {
	straight := style
	straight.Rotation = 0
	if straight.Width(txt) > room {
		return fmt.Errorf("%w: %q does not fit in %.0f pixels", ErrFigure, txt, room/pixel)
	}
	c.FillText(style, at, txt)
	return nil
}

// panels draws the grid of panels and returns the canvas that all data areas
// span.
func (l layout) panels(c draw.Canvas) (draw.Canvas, error) {
	tiles := l.tiles()
	designs := l.designs(tiles.At(c, 0, 0))
	plots := make([][]*plot.Plot, tiles.Rows)
	for r := range plots {
		plots[r] = make([]*plot.Plot, tiles.Cols)
	}
	for i, p := range l.page.Panels {
		plots[i/tiles.Cols][i%tiles.Cols] = p.build(designs[i]).plot(designs[i])
	}
	canvases := plot.Align(plots, tiles, c)
	for i := range l.page.Panels {
		area, p := canvases[i/tiles.Cols][i%tiles.Cols], plots[i/tiles.Cols][i%tiles.Cols]
		if err := l.panel(i, p, area); err != nil {
			return c, err
		}
	}
	first := plots[0][0].DataCanvas(canvases[0][0])
	n := len(l.page.Panels) - 1
	last := plots[n/tiles.Cols][n%tiles.Cols].DataCanvas(canvases[n/tiles.Cols][n%tiles.Cols])
	right := plots[0][tiles.Cols-1].DataCanvas(canvases[0][tiles.Cols-1])
	c.Rectangle = vg.Rectangle{
		Min: vg.Point{X: first.Min.X, Y: last.Min.Y},
		Max: vg.Point{X: right.Max.X, Y: first.Max.Y},
	}
	return c, nil
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
	d := design{theme: l.theme, inks: l.legend.inks, data: dataArea{
		width:  max(tile.Max.X-tile.Min.X-4.5*l.theme.tick.Font.Size, leastWidth),
		height: max(tile.Max.Y-tile.Min.Y-4.5*l.theme.tick.Font.Size, leastHeight),
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
func (l layout) panel(i int, p *plot.Plot, c draw.Canvas) error {
	data := p.DataCanvas(c)
	width, height := data.Max.X-data.Min.X, data.Max.Y-data.Min.Y
	if width < leastWidth || height < leastHeight {
		return fmt.Errorf("%w: panel %d has %.0f x %.0f pixels left for its data", ErrFigure, i+1,
			width/pixel, height/pixel)
	}
	p.Draw(c)
	own := l.page.own(i)
	at := vg.Point{X: data.Center().X, Y: data.Max.Y + panelTitleLine}
	if err := l.write(c, l.theme.panelTitle, at, own.title, width+3*panelGap); err != nil {
		return err
	}
	at = vg.Point{X: data.Center().X, Y: c.Min.Y - 4}
	if err := l.write(c, l.theme.label, at, own.x, width+2*panelGap); err != nil {
		return err
	}
	at = vg.Point{X: c.Min.X - labelLine, Y: data.Center().Y}
	return l.write(c, turned(l.theme.label), at, own.y, height+2*panelGap)
}
