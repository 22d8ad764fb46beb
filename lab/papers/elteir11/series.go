package elteir11

import (
	"fmt"

	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// comparisons are a figure's points, in the order of its x axis.
type comparisons []comparison

// sweep makes the comparison at each place.
func sweep(places []int, compare func(at int) comparison) comparisons {
	return papers.List(len(places), func(i int) comparison {
		d := compare(places[i])
		d.at = places[i]
		return d
	})
}

// at returns the point at that place of the x axis, which there is.
func (all comparisons) at(x int) comparison {
	for _, d := range all {
		if d.at == x {
			return d
		}
	}
	panic(fmt.Sprintf("no point at %d", x))
}

// last is the point of the largest input.
func (all comparisons) last() comparison { return all[len(all)-1] }

// rises reports whether the speedup grows from each point to the next.
func (all comparisons) rises() bool { return papers.Rises(all.column(comparison.speedup)) }

// mean is the mean speedup.
func (all comparisons) mean() float64 {
	sum := 0.0
	for _, d := range all {
		sum += d.speedup()
	}
	return sum / float64(len(all))
}

func (all comparisons) column(value func(d comparison) float64) []float64 {
	return papers.List(len(all), func(i int) float64 { return value(all[i]) })
}

// times is the table of a figure's times.
func (all comparisons) times(name, title, x string) papers.Table {
	t := papers.NewTable(name, title, x+"|workgroups|device's own [us]|coordinator [us]|speedup")
	for _, d := range all {
		t.Add(d.at, d.groups, d.systemUS, d.softwareUS, d.speedup())
	}
	if x != "workgroups" {
		return t
	}
	t.Columns = t.Columns[1:]
	for i := range t.Cells {
		t.Cells[i] = t.Cells[i][1:]
	}
	return t
}

// table is times with the closed forms.
func (all comparisons) table(name, title, x string) papers.Table {
	t := all.times(name, title, x)
	t.Columns = append(t.Columns, "by equations (3) and (4)", "by the corrected form")
	for i, d := range all {
		t.Cells[i] = append(t.Cells[i], papers.Cells(d.published, d.corrected)...)
	}
	return t
}

// point is a value that the paper's text gives.
type point struct {
	at    int
	value float64
}

// page draws the times, as the paper's figures do, and the speedups beside its
// values.
func (all comparisons) page(title, x string, paper []point) plot.Page {
	at := all.column(func(d comparison) float64 { return float64(d.at) })
	software := all.column(func(d comparison) float64 { return d.softwareUS })
	lines := []plot.Line{
		{Name: "simulated", X: at, Y: all.column(comparison.speedup)},
		{Name: "corrected form", X: at, Y: all.column(func(d comparison) float64 { return d.corrected }),
			Style: plot.Dashed},
		{Name: "equations (3) and (4)", X: at,
			Y: all.column(func(d comparison) float64 { return d.published }), Style: plot.Dashed},
	}
	stated := plot.Line{Name: "paper", Style: plot.Markers}
	for _, p := range paper {
		stated.X, stated.Y = append(stated.X, float64(p.at)), append(stated.Y, p.value)
	}
	if len(paper) > 0 {
		lines = append(lines, stated)
	}
	lines = append(lines, plot.Line{Name: "as fast", X: []float64{at[0], at[len(at)-1]},
		Y: []float64{1, 1}, Style: plot.Reference})
	return plot.Page{
		Title: title + " (Radeon HD 5870, simulated)", Width: 1100,
		Panels: []plot.Panel{
			plot.Figure{Title: "time", XLabel: x, YLabel: "kernel time [us]", XLog: true, YLog: true,
				Lines: []plot.Line{
					{Name: "device's own atomic", X: at,
						Y: all.column(func(d comparison) float64 { return d.systemUS })},
					{Name: "coordinator", X: at, Y: software},
				}},
			plot.Figure{Title: "speedup of the coordinator", XLabel: x, YLabel: "speedup", XLog: true,
				YLog: true, Lines: lines},
		},
	}
}

// withLine adds a line of speedups to the panel of a page.
func withLine(panel plot.Panel, name string, all comparisons) plot.Panel {
	figure := panel.(plot.Figure)
	line := plot.Line{Name: name, X: all.column(func(d comparison) float64 { return float64(d.at) }),
		Y: all.column(comparison.speedup)}
	figure.Lines = append([]plot.Line{figure.Lines[0], line}, figure.Lines[1:]...)
	return figure
}
