package plot

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/atomtune/atomtune/internal/wholefile"
)

const (
	pixel   = vg.Inch / 96 // of CSS
	margin  = 8
	rowHigh = 18 // of a title or a row of the legend
)

// palette is that of Okabe and Ito without yellow, which is too pale for lines.
var palette = []color.NRGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {230, 159, 0, 255},
	{204, 121, 167, 255}, {86, 180, 233, 255}, {0, 0, 0, 255}}

var glyphs = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{},
	draw.RingGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}, draw.PlusGlyph{}}

// key is the legend of a page.
type key struct {
	names  []string // in the order in which they first occur
	thumbs map[string][]plot.Thumbnailer
	ends   bool
	width  vg.Length // of a panel's data, about
}

// look is the colour and the mark of a name: colours and marks repeat out of step.
func (k *key) look(name string) draw.GlyphStyle {
	i := slices.Index(k.names, name)
	if i < 0 {
		i = len(k.names)
		k.names = append(k.names, name)
	}
	return draw.GlyphStyle{Color: palette[i%len(palette)], Radius: 3, Shape: glyphs[i%len(glyphs)]}
}

func (k *key) add(name string, thumbs ...plot.Thumbnailer) {
	if k.thumbs[name] == nil {
		k.thumbs[name] = thumbs
	}
}

// A joined line of more points than mostMarks has about half as many marks.
const mostMarks = 40

func (k *key) line(p *plot.Plot, l Line, look draw.GlyphStyle) error {
	if len(l.X) != len(l.Y) {
		return fmt.Errorf("%w: %s: %d x and %d y", ErrFigure, l.Name, len(l.X), len(l.Y))
	}
	points := make(plotter.XYs, len(l.X))
	for i := range points {
		points[i] = plotter.XY{X: l.X[i], Y: l.Y[i]}
	}
	joined, err := plotter.NewLine(points)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrFigure, l.Name, err)
	}
	if l.Style == Reference {
		joined.Color, joined.Dashes = color.Gray{120}, []vg.Length{2, 2}
		p.Add(joined)
		k.add(l.Name, joined)
		return nil
	}
	marked := points
	if stride := 2 * len(points) / mostMarks; l.Style != Markers && len(points) > mostMarks {
		marked = nil
		for i := 0; i < len(points); i += stride {
			marked = append(marked, points[i])
		}
	}
	marks, err := plotter.NewScatter(marked)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrFigure, l.Name, err)
	}
	marks.GlyphStyle = look
	thumbs := []plot.Thumbnailer{marks}
	if l.Style != Markers {
		joined.Color, joined.Width = marks.Color, 1.5
		if l.Style == Dashed {
			joined.Dashes = []vg.Length{5, 3}
		}
		p.Add(joined)
		thumbs = append(thumbs, joined)
	}
	if l.Low != nil {
		around := make(plotter.YErrors, len(l.Y))
		for i, y := range l.Y {
			around[i].Low, around[i].High = y-l.Low[i], l.High[i]-y
		}
		bars, err := plotter.NewYErrorBars(struct {
			plotter.XYs
			plotter.YErrors
		}{points, around})
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrFigure, l.Name, err)
		}
		bars.Color = marks.Color
		p.Add(bars)
	}
	p.Add(marks)
	k.add(l.Name, thumbs...)
	return nil
}

// labels writes texts above bars; an empty one is none.
func (k *key) labels(p *plot.Plot, texts []string, tops []float64, offset vg.Length) error {
	at := make(plotter.XYs, len(tops))
	for i, y := range tops {
		at[i] = plotter.XY{X: float64(i), Y: y}
	}
	l, err := plotter.NewLabels(plotter.XYLabels{XYs: at, Labels: texts})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFigure, err)
	}
	l.Offset = vg.Point{X: offset, Y: 2}
	for i := range l.TextStyle {
		l.TextStyle[i].XAlign, l.TextStyle[i].Font = text.XCenter, p.X.Tick.Label.Font
	}
	p.Add(l)
	return nil
}

// logTicks are at powers of a base, and of ten at their multiples too.
type logTicks int

func (base logTicks) Ticks(low, high float64) (marks []plot.Tick) {
	const most = 8 // labels
	steps := math.Log(high/low) / math.Log(float64(base))
	stride, digits := int(math.Ceil(steps/most)), []int{1}
	if base == 10 && steps < 2 {
		digits = []int{1, 2, 5}
	}
	labels := 0
	for e := int(math.Floor(math.Log(low) / math.Log(float64(base)))); e <= int(math.Ceil(math.Log(high)/math.Log(float64(base)))); e++ {
		for d := 1; d < int(base); d++ {
			v := float64(d) * math.Pow(float64(base), float64(e))
			if v < low*(1-1e-9) || v > high*(1+1e-9) {
				continue
			}
			mark := plot.Tick{Value: v}
			if slices.Contains(digits, d) && e%max(stride, 1) == 0 {
				mark.Label = strconv.FormatFloat(v, 'g', 6, 64)
				labels++
			}
			marks = append(marks, mark)
		}
	}
	if labels < 2 {
		return plot.DefaultTicks{}.Ticks(low, high)
	}
	return marks
}

func (p Page) grid() (rows, columns int) {
	n := len(p.Panels)
	columns = cmp.Or(p.Columns, map[bool]int{true: min(n, 1+min(1, n/2)), false: 3}[n <= 4])
	return (n + columns - 1) / columns, columns
}

// SVG returns the page as an SVG document, whose texts are texts. Errors wrap ErrFigure.
func (p Page) SVG() ([]byte, error) {
	data, err := p.render(func(w, h vg.Length) vg.CanvasWriterTo { return vgsvg.New(w, h) })
	// Where the Liberation fonts are missing, these have the same widths.
	const family = `style="font-family:Liberation Sans`
	return bytes.ReplaceAll(data, []byte(family), []byte(family+",Arial,Helvetica,sans-serif")), err
}

// Write writes the page to name.svg and, with two pixels for each of the page's, to name.png.
func Write(name string, p Page) error {
	svg, err := p.SVG()
	if err != nil {
		return fmt.Errorf("drawing %s: %w", name, err)
	}
	png, err := p.render(func(w, h vg.Length) vg.CanvasWriterTo {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(2*96))}
	})
	if err != nil {
		return fmt.Errorf("drawing %s: %w", name, err)
	}
	return errors.Join(wholefile.Write(name+".svg", svg), wholefile.Write(name+".png", png))
}

func (p Page) render(on func(w, h vg.Length) vg.CanvasWriterTo) ([]byte, error) {
	if len(p.Panels) == 0 {
		return nil, fmt.Errorf("%w: a page without panels", ErrFigure)
	}
	rows, columns := p.grid()
	width := vg.Length(cmp.Or(p.Width, 900)) * pixel
	k := &key{thumbs: map[string][]plot.Thumbnailer{}, ends: p.Ends, width: width/vg.Length(columns) - 60}
	plots := make([][]*plot.Plot, rows)
	for i, panel := range p.Panels {
		one := plot.New()
		for _, s := range []*text.Style{&one.Title.TextStyle, &one.X.Label.TextStyle, &one.Y.Label.TextStyle,
			&one.X.Tick.Label, &one.Y.Tick.Label} {
			s.Font.Variant, s.Font.Size = "Sans", 9.5
		}
		one.Title.TextStyle.Font.Size, one.Title.Padding = 11, 4
		if err := panel.build(one, k); err != nil {
			return nil, err
		}
		plots[i/columns] = append(plots[i/columns], one)
	}
	plots[rows-1] = append(plots[rows-1], make([]*plot.Plot, columns-len(plots[rows-1]))...)
	if p.SharedY {
		p.shareY(plots)
	}
	legend := k.layout(width-2*margin, plots[0][0].X.Tick.Label)
	head := vg.Length(margin + rowHigh*len(legend))
	if p.Title != "" {
		head += rowHigh + 4
	}
	height := head + vg.Length(rows*map[int]int{1: 460, 2: 340}[min(columns, 2)])*pixel
	if p.Height > 0 {
		height = vg.Length(p.Height) * pixel
	}
	canvas := on(width, height)
	c := draw.New(canvas)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	top := c.Max.Y - margin
	if p.Title != "" {
		style := plots[0][0].Title.TextStyle
		style.Font.Size, style.XAlign, style.YAlign = 13, text.XCenter, text.YTop
		c.FillText(style, vg.Point{X: c.Center().X, Y: top}, p.Title)
		top -= rowHigh + 4
	}
	for _, row := range legend {
		row.draw(c, top)
		top -= rowHigh
	}
	body := draw.Crop(c, margin, -margin, margin, -head)
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 14, PadY: 12}
	for j, row := range plot.Align(plots, tiles, body) {
		for i, area := range row {
			if plots[j][i] != nil {
				plots[j][i].Draw(area)
			}
		}
	}
	var out bytes.Buffer
	_, err := canvas.WriteTo(&out)
	return out.Bytes(), err
}

// shareY gives all panels one range of y.
func (p Page) shareY(plots [][]*plot.Plot) {
	low, high := math.Inf(1), math.Inf(-1)
	all := slices.DeleteFunc(slices.Concat(plots...), func(one *plot.Plot) bool { return one == nil })
	for _, one := range all {
		low, high = min(low, one.Y.Min), max(high, one.Y.Max)
	}
	for _, one := range all {
		one.Y.Min, one.Y.Max = low, high
	}
}

// legendRow is a row of entries with the place of each.
type legendRow struct {
	entries []plot.Legend
	at      []vg.Length
	width   vg.Length
}

// layout breaks the legend into rows.
func (k *key) layout(width vg.Length, style text.Style) (rows []*legendRow) {
	if k.ends {
		return nil
	}
	for _, name := range k.names {
		l := plot.NewLegend()
		l.TextStyle, l.Left, l.Top, l.ThumbnailWidth = style, true, true, 22
		l.TextStyle.XAlign, l.TextStyle.YAlign, l.TextStyle.Font.Size = text.XLeft, text.YCenter, 10
		l.Add(name, k.thumbs[name]...)
		needs := l.ThumbnailWidth + l.TextStyle.Width(" "+name) + 18
		if len(rows) == 0 || rows[len(rows)-1].width+needs > width {
			rows = append(rows, &legendRow{})
		}
		r := rows[len(rows)-1]
		r.entries, r.at = append(r.entries, l), append(r.at, r.width)
		r.width += needs
	}
	return rows
}

func (r *legendRow) draw(c draw.Canvas, top vg.Length) {
	left := c.Center().X - r.width/2
	for i, l := range r.entries {
		area := c
		area.Rectangle = vg.Rectangle{Min: vg.Point{X: left + r.at[i], Y: top - rowHigh}, Max: vg.Point{X: c.Max.X, Y: top}}
		l.Draw(area)
	}
}
