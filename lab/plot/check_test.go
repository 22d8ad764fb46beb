package plot_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/lab/plot"
)

// figure is a page of one line that the case spoils.
func figure(spoil func(f *plot.Figure, l *plot.Line)) plot.Page {
	l := plot.Line{Name: "victim", X: []float64{1, 2, 4}, Y: []float64{3, 2, 1}}
	f := plot.Figure{Title: "t", XLabel: "x", YLabel: "y"}
	spoil(&f, &l)
	f.Lines = append([]plot.Line{l}, f.Lines...)
	return plot.Page{Panels: []plot.Panel{f}}
}

// bars is a page of two series of bars that the case spoils.
func bars(spoil func(b *plot.Bars)) plot.Page {
	b := plot.Bars{
		Categories: []string{"a", "b"},
		Series: []plot.Series{{Name: "good", Values: []float64{1, 2}},
			{Name: "victim", Values: []float64{2, 1}}},
	}
	spoil(&b)
	return plot.Page{Panels: []plot.Panel{b}}
}

func TestWhatCannotBeDrawn(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		page plot.Page
		says string
	}{
		"no panel":  {plot.Page{}, "without panels"},
		"nil panel": {plot.Page{Panels: []plot.Panel{nil}}, "panel 1 is nil"},
		"no lines":  {plot.Page{Panels: []plot.Panel{plot.Figure{}}}, "no lines"},
		"no values": {figure(func(_ *plot.Figure, l *plot.Line) { l.X, l.Y = nil, nil }),
			`"victim"`},
		"lengths": {figure(func(_ *plot.Figure, l *plot.Line) { l.X = l.X[:2] }), `"victim"`},
		"nan":     {figure(func(_ *plot.Figure, l *plot.Line) { l.Y[1] = nan }), `"victim"`},
		"inf":     {figure(func(_ *plot.Figure, l *plot.Line) { l.X[1] = -inf }), `"victim"`},
		"zero on log x": {figure(func(f *plot.Figure, l *plot.Line) { f.XLog, l.X[0] = true, 0 }),
			`"victim"`},
		"minus on log y": {figure(func(f *plot.Figure, l *plot.Line) { f.YLog, l.Y[0] = true, -1 }),
			"logarithmic"},
		"low alone": {figure(func(_ *plot.Figure, l *plot.Line) { l.Low = []float64{1, 1, 1} }),
			`"victim"`},
		"low above high": {figure(func(_ *plot.Figure, l *plot.Line) {
			l.Low, l.High = []float64{1, 3, 1}, []float64{2, 2, 2}
		}), "low value 3 above high value 2"},
		"zero low on log y": {figure(func(f *plot.Figure, l *plot.Line) {
			f.YLog, l.Low, l.High = true, []float64{0, 1, 1}, []float64{4, 4, 4}
		}), "low value 0 is 0"},
		"style": {figure(func(_ *plot.Figure, l *plot.Line) { l.Style = 9 }), "style 9"},
		"no name": {figure(func(_ *plot.Figure, l *plot.Line) { l.Name = "" }),
			"series 1 has no name"},
		"two of one": {figure(func(f *plot.Figure, l *plot.Line) { f.Lines = []plot.Line{*l} }),
			`"victim"`},
		"tick": {figure(func(f *plot.Figure,
			_ *plot.Line) {
			f.XTicks = []plot.Tick{{Value: nan}}
		}), "tick"},
		"control":  {figure(func(f *plot.Figure, _ *plot.Line) { f.Title = "a\x00b" }), `'\x00'`},
		"no glyph": {figure(func(_ *plot.Figure, l *plot.Line) { l.Name = "図" }), `'図'`},
		"long title": {figure(func(f *plot.Figure, _ *plot.Line) {
			f.Title = strings.Repeat("long ",
				99)
		}), "does not fit"},
		"long name": {figure(func(_ *plot.Figure, l *plot.Line) {
			l.Name = strings.Repeat("long ",
				99)
		}), "does not fit"},
		"long y label": {figure(func(f *plot.Figure, _ *plot.Line) {
			f.YLabel = strings.Repeat("long ",
				99)
		}), "does not fit"},
		"categories":  {bars(func(b *plot.Bars) { b.Categories = nil }), "0 categories"},
		"no series":   {bars(func(b *plot.Bars) { b.Series = nil }), "0 series"},
		"bar lengths": {bars(func(b *plot.Bars) { b.Series[1].Values = []float64{1} }), `"victim"`},
		"bar nan":     {bars(func(b *plot.Bars) { b.Series[1].Values[0] = nan }), `"victim"`},
		"stacked minus": {bars(func(b *plot.Bars) {
			b.Stacked, b.Series[1].Values[0] = true, -1
		}), `"victim"`},
		"label rows": {bars(func(b *plot.Bars) { b.Labels = [][]string{{"1", "2"}} }),
			"1 rows of labels, not 2"},
		"label count": {bars(func(b *plot.Bars) { b.Labels = [][]string{{"1", "2"}, {"1"}} }),
			"row 2 has 1 labels"},
		"overlay lengths": {bars(func(b *plot.Bars) {
			b.Overlay = []plot.Line{{Name: "over", Y: []float64{1}}}
		}), `"over"`},
		"overlay nan": {bars(func(b *plot.Bars) {
			b.Overlay = []plot.Line{{Name: "over", Y: []float64{1, nan}}}
		}), `"over"`},
		"width":   {plot.Page{Width: 10, Panels: lineSample().Panels}, "page of 10 pixels"},
		"height":  {plot.Page{Height: -1, Panels: lineSample().Panels}, "page of -1 pixels"},
		"columns": {plot.Page{Columns: -1, Panels: lineSample().Panels}, "-1 columns"},
		"no room": {plot.Page{Width: 300, Height: 200, Panels: gridSample().Panels}, "pixels left"},
		"two styles": {plot.Page{Panels: []plot.Panel{
			figure(func(*plot.Figure, *plot.Line) {}).Panels[0],
			figure(func(_ *plot.Figure, l *plot.Line) { l.Style = plot.Dashed }).Panels[0],
		}}, `"victim" in another style`},
		"two scales": {plot.Page{SharedY: true, Panels: []plot.Panel{
			figure(func(*plot.Figure, *plot.Line) {}).Panels[0],
			figure(func(f *plot.Figure, _ *plot.Line) { f.YLog = true }).Panels[0],
		}}, "panel 2"},
	} {
		_, svgErr := c.page.SVG()
		_, pngErr := c.page.PNG()
		for _, err := range []error{svgErr, pngErr} {
			if !errors.Is(err, plot.ErrFigure) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: error %q, want ErrFigure that says %q", name, err, c.says)
			}
		}
	}
}

// TestDrawingLeavesTheDataAlone checks that what was passed is read only.
func TestDrawingLeavesTheDataAlone(t *testing.T) {
	for name, page := range samples() {
		before := fmtPage(page)
		mustSVG(t, page)
		if after := fmtPage(page); after != before {
			t.Errorf("%s changed from %s to %s", name, before, after)
		}
	}
}
