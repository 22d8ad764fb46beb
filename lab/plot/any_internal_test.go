package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

// value is small, large, equal to others or zero.
func value(t *rapid.T, positive bool) float64 {
	v := rapid.OneOf(
		rapid.Float64Range(1, 2), rapid.Float64Range(1e-99, 1e99),
		rapid.SampledFrom([]float64{1, 2, 64, 1e6, 1e-12}),
	).Draw(t, "value")
	if !positive && rapid.IntRange(0, 5).Draw(t, "sign") == 0 {
		return -v * float64(rapid.IntRange(0, 1).Draw(t, "zero"))
	}
	return v
}

func values(t *rapid.T, n int, positive bool) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = value(t, positive)
	}
	return all
}

func anyLine(t *rapid.T, name string, xLog, yLog bool) Line {
	n := rapid.IntRange(1, 50).Draw(t, "points")
	l := Line{Name: name, X: values(t, n, xLog), Y: values(t, n, yLog),
		Style: Style(rapid.IntRange(0, 3).Draw(t, "style"))}
	if rapid.Bool().Draw(t, "band") {
		l.Low, l.High = l.Y, l.Y
	}
	return l
}

func anyFigure(t *rapid.T) Panel {
	f := Figure{XLog: rapid.Bool().Draw(t, "xlog"), YLog: rapid.Bool().Draw(t, "ylog"),
		YFit: rapid.Bool().Draw(t, "fit")}
	f.XLabel, f.YLabel = "x", `a < b & "c" > 'd'`
	for i := range rapid.IntRange(1, 3).Draw(t, "lines") {
		f.Lines = append(f.Lines, anyLine(t, fmt.Sprint("line ", i), f.XLog, f.YLog))
	}
	return f
}

func anyBars(t *rapid.T) Panel {
	b := Bars{Title: "bars", Stacked: rapid.Bool().Draw(t, "stacked")}
	n := rapid.IntRange(1, 9).Draw(t, "categories")
	for c := range n {
		b.Categories = append(b.Categories, fmt.Sprint("category ", c))
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "series") {
		b.Series = append(b.Series, Series{fmt.Sprint("series ", i), values(t, n, b.Stacked)})
		if !b.Stacked || i == 0 {
			b.Labels = append(b.Labels, b.Categories)
		}
	}
	if rapid.Bool().Draw(t, "overlay") {
		b.Overlay = []Line{{Name: "over", Y: values(t, n, true)}}
	}
	return b
}

// TestAnyPage draws pages of any finite numbers: each becomes a well-formed
// document without a number that is none, or an error that says why not.
func TestAnyPage(t *testing.T) {
	drawn := 0
	rapid.Check(t, func(t *rapid.T) {
		p := Page{SharedY: rapid.Bool().Draw(t, "shared"), Width: 1200,
			Columns: rapid.IntRange(0, 2).Draw(t, "columns")}
		for range rapid.IntRange(1, 3).Draw(t, "panels") {
			if rapid.Bool().Draw(t, "figure") {
				p.Panels = append(p.Panels, anyFigure(t))
			} else {
				p.Panels = append(p.Panels, anyBars(t))
			}
		}
		svg, err := p.SVG()
		if errors.Is(err, ErrFigure) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		drawn++
		if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Fatal("the document holds a number that is none")
		}
		for dec := xml.NewDecoder(bytes.NewReader(svg)); ; {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
	if drawn < 10 {
		t.Errorf("only %d pages were drawn", drawn)
	}
}

// TestTagsKeepClear checks that the labels above bars stay within the data
// area and cross nothing of the overlay.
func TestTagsKeepClear(t *testing.T) {
	checked := 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "categories")
		b := Bars{Stacked: rapid.Bool().Draw(t, "stacked"), Series: make([]Series,
			rapid.IntRange(1, 3).Draw(t, "series"))}
		for c := range n {
			b.Categories = append(b.Categories, fmt.Sprint(c))
		}
		row := make([]string, n)
		for i := range row {
			row[i] = rapid.SampledFrom([]string{"", "7", "12.5", "1,024.25 µs"}).Draw(t, "label")
		}
		for s := range b.Series {
			b.Series[s].Values = rapid.SliceOfN(rapid.Float64Range(0, 10), n, n).Draw(t, "values")
			if s == 0 || !b.Stacked {
				b.Labels = append(b.Labels, row)
			}
		}
		over := rapid.SliceOfN(rapid.Float64Range(0, 20), n, n).Draw(t, "over")
		b.Overlay = []Line{{Style: Style(rapid.IntRange(0, 2).Draw(t, "style")), Y: over}}

		d := design{theme: themeFor(1), data: vg.Point{X: 400, Y: 250}}
		f := frame{vg.Rectangle{Max: vg.Point{X: 400, Y: 250}}, b.xSpan(), b.ySpan(d)}
		for _, tag := range b.tags(f, d.theme) {
			checked++
			if tag.box.Max.Y > 251 {
				t.Fatalf("the label %q ends at %.1f of 250 points", tag.text, tag.box.Max.Y)
			}
			for _, o := range b.obstacles(f, d.theme.marker) {
				if o.Min.X < tag.box.Max.X && o.Max.X > tag.box.Min.X && o.Min.Y < tag.box.Max.Y &&
					o.Max.Y > tag.box.Min.Y {
					t.Fatalf("the label %q at %v crosses the overlay at %v", tag.text, tag.box, o)
				}
			}
		}
	})
	if checked < 20 {
		t.Errorf("only %d labels checked", checked)
	}
}
