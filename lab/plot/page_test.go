package plot_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/plot"
)

// TestDrawings: what is drawn, to the tenth of a point or so, is what testdata/drawings.txt holds.
func TestDrawings(t *testing.T) {
	pages := spans()
	for name, p := range samples() {
		pages[name] = p
	}
	pages["below zero"] = plot.Page{Panels: []plot.Panel{plot.Bars{Title: "Gains and losses", XLabel: "x", YLabel: "y",
		Categories: []string{"a", "b", "c"}, Series: []plot.Series{{Name: "one", Values: []float64{3, -1, 0.5}},
			{Name: "other", Values: []float64{-2, 1, 0}}}, Labels: [][]string{{"3", "", "0.5"}, {"-2", "1", ""}}}}}
	named := figure(func(f *plot.Figure, l *plot.Line) {
		f.Lines = []plot.Line{{Name: "near", X: l.X, Y: []float64{3, 2, 1.01}, Style: plot.Dashed}}
	})
	named.Ends = true
	pages["named lines"] = named
	var lines []string
	for name, p := range pages {
		var sum golden.Digest
		sum.Written(string(mustSVG(t, p)), 4)
		lines = append(lines, name+": "+sum.String())
	}
	slices.Sort(lines)
	golden.Compare(t, "testdata/drawings.txt", lines)
}

func mustSVG(t *testing.T, p plot.Page) []byte {
	t.Helper()
	svg, err := p.SVG()
	if err != nil {
		t.Fatal(err)
	}
	return svg
}

// TestPNG: the picture has the page's size and ink on it, and nothing runs off the page.
func TestPNG(t *testing.T) {
	for name, page := range map[string]plot.Page{"bars": barSample(), "groups": groupSample()} {
		page.Width, page.Height = 700, 580
		data, err := page.PNG()
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		picture := image.NewRGBA(decoded.Bounds())
		draw.Draw(picture, picture.Bounds(), decoded, image.Point{}, draw.Src)
		size := picture.Bounds().Size()
		if want := image.Pt(700*plot.PNGScale, 580*plot.PNGScale); size != want {
			t.Errorf("%s: size %v, want %v", name, size, want)
		}
		white, blue, rim := 0, 0, 0
		for y := range size.Y {
			row := picture.Pix[y*picture.Stride:]
			for x := range size.X {
				switch at := [4]byte(row[4*x:]); {
				case at == [4]byte{255, 255, 255, 255}:
					white++
				case min(x, y, size.X-1-x, size.Y-1-y) < 4:
					rim++
				case at == [4]byte{0, 114, 178, 255}:
					blue++
				}
			}
		}
		if all := size.X * size.Y; white < all/2 || white > all*97/100 || blue < 200 || rim > 0 {
			t.Errorf("%s: of %d pixels %d are white, %d have the first colour, %d at the rim have ink", name, all,
				white, blue, rim)
		}
	}
}

// TestSameBytes: a page drawn again and at the same time is the same, and the data stay as they are.
func TestSameBytes(t *testing.T) {
	for name, page := range samples() {
		page.Width, page.Height = 700, 580
		before := fmt.Sprintf("%+v", page)
		first := mustSVG(t, page)
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				if again, err := page.SVG(); err != nil || !bytes.Equal(again, first) {
					t.Errorf("%s: another SVG, %v", name, err)
				}
			})
		}
		group.Wait()
		if after := fmt.Sprintf("%+v", page); after != before {
			t.Errorf("%s changed from %s to %s", name, before, after)
		}
	}
}

// TestWrite: both files are written, and a page that cannot be drawn or a place that cannot be written
// is an error that leaves the files as they are.
func TestWrite(t *testing.T) {
	folder, page := t.TempDir(), lineSample()
	page.Width, page.Height = 450, 300
	picture, err := page.PNG()
	if err != nil {
		t.Fatal(err)
	}
	fig := filepath.Join(folder, "fig")
	if err := plot.Write(fig, page); err != nil {
		t.Fatal(err)
	}
	if err := plot.Write(fig, plot.Page{}); !errors.Is(err, plot.ErrFigure) {
		t.Errorf("error %v, want ErrFigure", err)
	}
	for path, want := range map[string][]byte{fig + ".svg": mustSVG(t, page), fig + ".png": picture} {
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from the page, %v", path, err)
		}
	}
	if err := plot.Write(filepath.Join(folder, "missing", "fig"), page); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
	if err := os.Mkdir(filepath.Join(folder, "other.svg"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := plot.Write(filepath.Join(folder, "other"), page); err == nil {
		t.Error("a folder in the way: no error")
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 4 {
		t.Errorf("the folder holds %v, %v", files, err)
	}
}

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

// TestWhatCannotBeDrawn: each fault is refused, and a series that has one is named.
func TestWhatCannotBeDrawn(t *testing.T) {
	nan, inf, long := math.NaN(), math.Inf(1), strings.Repeat("long ", 99)
	sized := func(width, height, columns int) plot.Page {
		return plot.Page{Width: width, Height: height, Columns: columns, Panels: gridSample().Panels}
	}
	twice := func(p plot.Page, shared bool) plot.Page {
		first := figure(func(*plot.Figure, *plot.Line) {})
		return plot.Page{SharedY: shared, Panels: append(first.Panels, p.Panels...)}
	}
	for name, page := range map[string]plot.Page{
		"no panel": {}, "nil panel": {Panels: []plot.Panel{nil}}, "no lines": {Panels: []plot.Panel{plot.Figure{}}},
		"style":   figure(func(_ *plot.Figure, l *plot.Line) { l.Style = 9 }),
		"no name": figure(func(_ *plot.Figure, l *plot.Line) { l.Name = "" }),
		"tick": figure(func(f *plot.Figure, _ *plot.Line) {
			f.XTicks = []plot.Tick{{Value: nan}}
		}),
		"control":          figure(func(f *plot.Figure, _ *plot.Line) { f.Title = "a\x00b" }),
		"no glyph":         figure(func(_ *plot.Figure, l *plot.Line) { l.Name = "図" }),
		"long title":       figure(func(f *plot.Figure, _ *plot.Line) { f.Title = long }),
		"long name":        figure(func(_ *plot.Figure, l *plot.Line) { l.Name = long }),
		"no lines to name": {Ends: true, Panels: barSample().Panels},
		"long y label":     figure(func(f *plot.Figure, _ *plot.Line) { f.YLabel = long }),
		"categories":       bars(func(b *plot.Bars) { b.Categories = nil }),
		"no series":        bars(func(b *plot.Bars) { b.Series = nil }),
		"label rows":       bars(func(b *plot.Bars) { b.Labels = [][]string{{"1", "2"}} }),
		"label count":      bars(func(b *plot.Bars) { b.Labels = [][]string{{"1", "2"}, {"1"}} }),
		"width":            sized(10, 0, 0), "height": sized(0, -1, 0), "columns": sized(0, 0, -1), "no room": sized(300, 200, 0),
		"two scales": twice(figure(func(f *plot.Figure, _ *plot.Line) { f.YLog = true }), true),
		"no values, victim": figure(func(_ *plot.Figure, l *plot.Line) {
			l.X, l.Y = nil, nil
		}),
		"lengths, victim":  figure(func(_ *plot.Figure, l *plot.Line) { l.X = l.X[:2] }),
		"y is nan, victim": figure(func(_ *plot.Figure, l *plot.Line) { l.Y[1] = nan }),
		"x is inf, victim": figure(func(_ *plot.Figure, l *plot.Line) { l.X[1] = -inf }),
		"zero on log x, victim": figure(func(f *plot.Figure, l *plot.Line) {
			f.XLog, l.X[0] = true, 0
		}),
		"minus on log y, victim": figure(func(f *plot.Figure, l *plot.Line) {
			f.YLog, l.Y[0] = true, -1
		}),
		"low alone, victim": figure(func(_ *plot.Figure, l *plot.Line) { l.Low = []float64{1, 1, 1} }),
		"low above high, victim": figure(func(_ *plot.Figure, l *plot.Line) {
			l.Low, l.High = []float64{1, 3, 1}, []float64{2, 2, 2}
		}),
		"zero low on log y, victim": figure(func(f *plot.Figure, l *plot.Line) {
			f.YLog, l.Low, l.High = true, []float64{0, 1, 1}, []float64{4, 4, 4}
		}),
		"two of one, victim":    figure(func(f *plot.Figure, l *plot.Line) { f.Lines = []plot.Line{*l} }),
		"two styles, victim":    twice(figure(func(_ *plot.Figure, l *plot.Line) { l.Style = plot.Dashed }), false),
		"bar lengths, victim":   bars(func(b *plot.Bars) { b.Series[1].Values = []float64{1} }),
		"bar is nan, victim":    bars(func(b *plot.Bars) { b.Series[1].Values[0] = nan }),
		"stacked minus, victim": bars(func(b *plot.Bars) { b.Stacked, b.Series[1].Values[0] = true, -1 }),
		"overlay lengths, over": bars(func(b *plot.Bars) {
			b.Overlay = []plot.Line{{Name: "over", Y: []float64{1}}}
		}),
		"overlay is nan, over": bars(func(b *plot.Bars) {
			b.Overlay = []plot.Line{{Name: "over", Y: []float64{1, nan}}}
		}),
	} {
		_, series, _ := strings.Cut(name, ", ")
		_, svg := page.SVG()
		_, png := page.PNG()
		for _, err := range []error{svg, png} {
			if !errors.Is(err, plot.ErrFigure) || !strings.Contains(err.Error(), series) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
