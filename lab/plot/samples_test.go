package plot_test

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/lab/plot"
)

func samples() map[string]plot.Page {
	return map[string]plot.Page{
		"lines": lineSample(), "bars": barSample(), "grid": gridSample(), "groups": groupSample(),
	}
}

// curve is one line with a band of a tenth around it.
func curve(name string, x []float64, style plot.Style, y func(float64) float64) plot.Line {
	l := plot.Line{Name: name, X: x, Style: style}
	for _, v := range x {
		l.Y = append(l.Y, y(v))
		l.Low = append(l.Low, 0.9*y(v))
		l.High = append(l.High, 1.1*y(v))
	}
	return l
}

func powers(from, to int) []float64 {
	var all []float64
	for k := from; k <= to; k++ {
		all = append(all, math.Ldexp(1, k))
	}
	return all
}

// lineSample has three series over powers of two.
func lineSample() plot.Page {
	x := powers(0, 12)
	return plot.Page{Panels: []plot.Panel{plot.Figure{
		Title:  "Time of one histogram call, by number of bins",
		XLabel: "bins", YLabel: "time (µs)", XLog: true,
		Lines: []plot.Line{
			curve("naive", x, plot.Solid, func(v float64) float64 { return 40 + 600/math.Sqrt(v) }),
			curve("private:r=16", x, plot.Dashed, func(v float64) float64 { return 90 + 0.08*v }),
			curve("measured", x, plot.Markers, func(v float64) float64 { return 110 + 300/v }),
		},
	}}}
}

// barSample has eight stacks with sums above them and measured points.
func barSample() plot.Page {
	b := plot.Bars{
		Title:  "Parts of the predicted time, by implementation",
		YLabel: "time (µs)", Stacked: true,
		Categories: []string{"naive", "sr", "vr", "ss", "peers", "match", "private", "sort"},
		Series: []plot.Series{{Name: "loads"}, {Name: "shared atomics"}, {Name: "global atomics"},
			{Name: "flush"}},
		Labels:  [][]string{nil},
		Overlay: []plot.Line{{Name: "measured", Style: plot.Markers}},
	}
	for c := range b.Categories {
		sum := 0.0
		for s := range b.Series {
			v := 10 + float64((c*7+s*5)%11)*float64(1+s)
			b.Series[s].Values = append(b.Series[s].Values, v)
			sum += v
		}
		b.Labels[0] = append(b.Labels[0], fmt.Sprintf("%.0f", sum))
		b.Overlay[0].Y = append(b.Overlay[0].Y, sum*(0.8+0.05*float64(c)))
		b.Overlay[0].Low = append(b.Overlay[0].Low, sum*(0.75+0.05*float64(c)))
		b.Overlay[0].High = append(b.Overlay[0].High, sum*(0.85+0.05*float64(c)))
	}
	return plot.Page{Panels: []plot.Panel{b}}
}

// gridSample has nine panels of four lines.
func gridSample() plot.Page {
	page := plot.Page{Title: "Histogram time by replication factor", SharedY: true}
	for k := 5; k <= 13; k++ {
		f := plot.Figure{
			Title: fmt.Sprintf("%d bins", 1<<k), XLabel: "replication factor", YLabel: "time (ms)",
			XLog: true,
		}
		for i, name := range []string{"cyclic", "cyclic, padded", "block", "block, padded"} {
			style := plot.Style(i % 2)
			l := curve(name, powers(0, 5), style, func(v float64) float64 {
				return float64(k)/8 + float64(5-i)/v + float64(i)*v/20
			})
			l.Low, l.High = nil, nil
			f.Lines = append(f.Lines, l)
		}
		page.Panels = append(page.Panels, f)
	}
	return page
}

// groupSample has grouped bars with a text above each, next to a scatter plot
// on two logarithmic axes.
func groupSample() plot.Page {
	b := plot.Bars{
		Title: "Speedup over naive", XLabel: "stream", YLabel: "speedup (ratio)",
		Categories: []string{"uniform", "zipf:s=1.1", "clustered:run=32", "one-target"},
		Labels:     make([][]string, 3),
	}
	for s, name := range []string{"GTX 680", "H200", "C2075"} {
		series := plot.Series{Name: name}
		for c := range b.Categories {
			v := 0.8 + float64((s+2)*(c+1)%7)
			series.Values = append(series.Values, v)
			b.Labels[s] = append(b.Labels[s], fmt.Sprintf("%.1f", v))
		}
		b.Series = append(b.Series, series)
	}
	b.Overlay = []plot.Line{{Name: "no gain", Style: plot.Reference, X: []float64{-0.5, 3.5},
		Y: []float64{1, 1}}}
	f := plot.Figure{
		Title: "Predicted and measured", XLabel: "measured (µs)", YLabel: "predicted (µs)", XLog: true,
		YLog: true,
	}
	for s, name := range []string{"GTX 680", "H200", "C2075"} {
		l := plot.Line{Name: name, Style: plot.Markers}
		for i := range 30 {
			x := math.Pow(10, 0.3+float64(i)/5)
			l.X = append(l.X, x)
			l.Y = append(l.Y, x*(1+0.4*math.Sin(float64(i*(s+3)))))
		}
		f.Lines = append(f.Lines, l)
	}
	f.Lines = append(f.Lines, plot.Line{Name: "equal", Style: plot.Reference, X: []float64{1, 1e7},
		Y: []float64{1, 1e7}})
	return plot.Page{Title: "Closed form and measurement", Panels: []plot.Panel{b, f}}
}

// spans are figures of many spans on axes of both kinds, in sizes of a column and of a page.
func spans() map[string]plot.Page {
	pages := map[string]plot.Page{}
	for i, ends := range [][2]float64{{0, 1}, {1, 2}, {0.5, 0.9}, {1, 10}, {3, 4000}, {1e-3, 1e6}, {1e-12, 1e12},
		{7, 7}, {0.97, 1.03}, {1e5, 3e5}, {20, 90}, {150, 151}} {
		low, high := ends[0], ends[1]
		for axes := range 4 {
			x := []float64{max(low, 1e-4), low + (high-low)/3 + 1e-4, high}
			line := func(name string, style plot.Style, factor float64) plot.Line {
				return curve(name, x, style, func(v float64) float64 { return factor * v })
			}
			p := plot.Page{Panels: []plot.Panel{plot.Figure{Title: "Of a span", XLabel: "x", YLabel: "y (µs)",
				XLog: axes%2 == 1, YLog: axes/2 == 1, Lines: []plot.Line{line("a", plot.Solid, 1),
					line("b", plot.Markers, 1.5), line("longer", plot.Dashed, 0.6), line("d", plot.Style(3), 1.51)}}}}
			pages[fmt.Sprintf("span %d, axes %d", i, axes)] = p
		}
	}
	return pages
}
