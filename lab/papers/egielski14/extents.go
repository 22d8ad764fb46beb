package egielski14

import (
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// extents are the speedups of several benchmarks, from one source.
type extents struct {
	name string
	all  []extent
}

// extentsPanel draws averages with error bars from the smallest to the largest speedup, the
// sources side by side at each benchmark.
func extentsPanel(base string, benchmarks []string, sources ...extents) plot.Figure {
	panel := plot.Figure{XLabel: "average, smallest and largest", YLabel: "speedup over " + base,
		YLog: true}
	for i, name := range benchmarks {
		panel.XTicks = append(panel.XTicks, plot.Tick{Value: float64(i), Label: name})
	}
	const apart = 0.2
	for s, source := range sources {
		line := plot.Line{Name: source.name, Style: plot.Markers}
		for i, e := range source.all {
			line.X = append(line.X, float64(i)+apart*(float64(s)-float64(len(sources)-1)/2))
			line.Y = append(line.Y, e.mean)
			line.Low, line.High = append(line.Low, e.least), append(line.High, e.most)
		}
		panel.Lines = append(panel.Lines, line)
	}
	panel.Lines = append(panel.Lines, level("as fast", 1, len(benchmarks)))
	return panel
}

// level is a line at a speedup over so many benchmarks.
func level(name string, speedup float64, benchmarks int) plot.Line {
	return plot.Line{Name: name, X: []float64{-0.4, float64(benchmarks) - 0.6},
		Y: []float64{speedup, speedup}, Style: plot.Reference}
}

// besideTable is a panel of the speedups of a table and of ours over each of the forms.
func besideTable(lines []published, all []measured, algorithms ...appForm) plot.Figure {
	names := papers.List(len(all), func(i int) string { return all[i].name })
	if all[0].gpu != all[len(all)-1].gpu {
		names = papers.List(len(all), func(i int) string { return generationOf[all[i].gpu] })
	}
	sources := []extents{{"paper", papers.List(len(lines), func(i int) extent {
		return extent{least: lines[i].least, most: lines[i].most, mean: lines[i].mean}
	})}}
	for _, base := range algorithms {
		sources = append(sources, extents{"ours, over " + base.name,
			papers.List(len(all), func(i int) extent {
				return extentOf(ratios(all[i].times(base), all[i].chosenTimes()))
			})})
	}
	panel := extentsPanel("another form", names, sources...)
	panel.Title = "beside the paper's table"
	return panel
}
