package kernels

import (
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/plot"
)

// mostDots is how many calls one series of a panel shows at most.
const mostDots = 400

// Figure draws simulated against measured times, one panel for each class of
// implementations, one series for each type and operand. Of more calls than an
// eye can tell apart, each series shows some at equal distances.
func (r KernelReport) Figure() plot.Page {
	page := plot.Page{
		Title:   "NVIDIA H200, held-out streams: simulated against measured time of whole calls",
		Columns: 3, Width: 1200, Height: 520,
	}
	for _, class := range []impl.Class{impl.Naive, impl.ReducedCollision, impl.NonAtomic} {
		f := plot.Figure{Title: class.String(), Lines: r.dots(class),
			XLabel: "measured (µs)", YLabel: "simulated (µs)", XLog: true, YLog: true}
		if len(f.Lines) == 0 {
			continue
		}
		var ends []float64
		for _, l := range f.Lines {
			ends = append(ends, slices.Min(l.X), slices.Min(l.Y), slices.Max(l.X), slices.Max(l.Y))
		}
		ends = []float64{slices.Min(ends), slices.Max(ends)}
		f.Lines = append(f.Lines, plot.Line{Name: "equal", X: ends, Y: ends, Style: plot.Reference})
		page.Panels = append(page.Panels, f)
	}
	return page
}

// dots are the series of a class in the order in which they first occur.
func (r KernelReport) dots(class impl.Class) []plot.Line {
	var lines []plot.Line
	place := map[string]int{}
	for _, p := range r.points {
		if p.Implementation.Class() != class || math.IsNaN(p.simulatedUS) {
			continue
		}
		name := fmt.Sprintf("%s %s", p.Call.Type, p.Call.Operand)
		i, ok := place[name]
		if !ok {
			i = len(lines)
			place[name] = i
			lines = append(lines, plot.Line{Name: name, Style: plot.Markers})
		}
		lines[i].X, lines[i].Y = append(lines[i].X, p.measuredUS), append(lines[i].Y, p.simulatedUS)
	}
	for i := range lines {
		lines[i].X, lines[i].Y = thinned(lines[i].X), thinned(lines[i].Y)
	}
	return lines
}

func thinned(all []float64) []float64 {
	n := min(len(all), mostDots)
	some := make([]float64, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}
