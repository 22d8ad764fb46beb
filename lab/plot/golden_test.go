package plot_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/plot"
)

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

// TestDrawings: what is drawn, to the tenth of a point or so, is what testdata/drawings.txt holds.
func TestDrawings(t *testing.T) {
	pages := spans()
	for name, p := range samples() {
		pages[name] = p
	}
	pages["below zero"] = plot.Page{Panels: []plot.Panel{plot.Bars{Title: "Gains and losses", XLabel: "x", YLabel: "y",
		Categories: []string{"a", "b", "c"}, Series: []plot.Series{{Name: "one", Values: []float64{3, -1, 0.5}},
			{Name: "other", Values: []float64{-2, 1, 0}}}, Labels: [][]string{{"3", "", "0.5"}, {"-2", "1", ""}}}}}
	var lines []string
	for name, p := range pages {
		var sum golden.Digest
		sum.Written(string(mustSVG(t, p)), 4)
		lines = append(lines, name+": "+sum.String())
	}
	slices.Sort(lines)
	golden.Compare(t, "testdata/drawings.txt", lines)
}
