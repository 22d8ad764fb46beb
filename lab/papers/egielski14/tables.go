package egielski14

import (
	"context"
	"fmt"

	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// extentRows hold speedups against a line of a table.
func (f *findings) extentRows(what string, ours extent, paper published) {
	f.StateRatio(what+", minimum speedup", papers.Extreme, paper.least, ours.least)
	f.StateRatio(what+", maximum speedup", papers.Extreme, paper.most, ours.most)
	f.StateRatio(what+", average speedup", papers.Average, paper.mean, ours.mean)
}

// offRow holds how far the choice is from the fastest form.
func (f *findings) offRow(what string, ours, paper float64) {
	f.StateLimit(what+", off optimal", paper, ours, papers.LossMet(ours, paper))
}

// countRow holds a number of inputs.
func (f *findings) countRow(item string, ours, of int, holds bool) *papers.Row {
	return f.State(item, fmt.Sprintf("%d of %d", ours, of), holds)
}

// histogramTable is Table 1 or 2 of [egielski14].
func (c *simulations) histogramTable(number int, gpu string) func(context.Context,
	papers.Options) (papers.Outcome, error) {
	return func(ctx context.Context, o papers.Options) (papers.Outcome, error) {
		var jobs []job
		for _, b := range imageHistograms() {
			jobs = append(jobs, job{b, gpu})
		}
		all, err := c.measure(ctx, o, jobs...)
		if err != nil {
			return papers.Outcome{}, err
		}
		name := fmt.Sprintf("table%d", number)
		var f findings
		f.histogramRows(gpu, all)
		f.Table(choiceTable(name, "Speedups of the chosen forms of a histogram on "+generationOf[gpu],
			all))
		for i := range all {
			f.Table(all[i].table(name+"-"+all[i].name, "Times of a histogram, "+all[i].name, "image"))
		}
		f.Page = choicePage("The choice among forms of a histogram, "+generationOf[gpu]+", simulated",
			formAA, all)
		f.Page.Panels = append(f.Page.Panels, besideTable(histogramTables[gpu], all, formPrivate, formAA))
		f.Page.Columns = 2
		return f.Outcome, nil
	}
}

// histogramRows hold the chosen forms against a table, over the level's own naive atomics.
func (f *findings) histogramRows(gpu string, all []measured) {
	for i := range all {
		m, paper := &all[i], histogramTables[gpu][i]
		f.extentRows(m.name+" over naive", extentOf(ratios(m.times(formAA), m.chosenTimes())), paper)
		f.offRow(m.name, m.offOptimal(), paper.off)
	}
}

// table3 is Table 3 of [egielski14].
func (c *simulations) table3(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	all, err := c.measure(ctx, o, on(matrixProduct())...)
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	f.productTableRows(all)
	f.Table(choiceTable("table3", "Speedups of the chosen forms of SpMV; the paper prints the mean "+
		"under Maximum and the maximum under Mean", all))
	for i := range all {
		f.Table(all[i].table("table3-"+all[i].gpu, "Times of SpMV on "+generationOf[all[i].gpu],
			"matrix"))
	}
	f.Page = choicePage("The choice among forms of SpMV, simulated", formOriginal, all)
	lines := papers.List(len(all), func(i int) published { return productTable[all[i].gpu] })
	f.Page.Panels = append(f.Page.Panels, besideTable(lines, all, formOriginal))
	f.Page.Columns = 3
	return f.Outcome, nil
}

// productTableRows hold the chosen forms of SpMV against Table 3.
func (f *findings) productTableRows(all []measured) {
	for i := range all {
		m := &all[i]
		where, paper := generationOf[m.gpu], productTable[m.gpu]
		f.extentRows(where, extentOf(ratios(m.times(formOriginal), m.chosenTimes())), paper)
		f.offRow(where, m.offOptimal(), paper.off)
	}
}

// choiceTable lists the speedups of the chosen forms over each other form.
func choiceTable(name, title string, all []measured) papers.Table {
	t := papers.NewTable(name, title, "benchmark|device|over|minimum|maximum|average|off optimal [%]")
	for i := range all {
		m := &all[i]
		for _, base := range m.forms {
			e := extentOf(ratios(m.times(base), m.chosenTimes()))
			t.Add(m.name, generationOf[m.gpu], base.name, e.least, e.most, e.mean, m.offOptimal())
		}
	}
	return t
}

// table lists collision levels and times by input.
func (m *measured) table(name, title, input string) papers.Table {
	t := papers.NewTable(name, title, input+"|warp level|block level|all level")
	for _, f := range m.forms {
		t.Columns = append(t.Columns, f.name+" [us]")
	}
	t.Columns = append(t.Columns, "chosen")
	for i, in := range m.inputs {
		row := papers.Cells(in.name, in.levels[0], in.levels[1], in.levels[2])
		for _, us := range m.us[i] {
			row = append(row, papers.Cells(us)...)
		}
		t.Cells = append(t.Cells, append(row, m.forms[m.chosen[i]].name))
	}
	return t
}

// choicePage draws the chosen and the fastest form over a base, by rising warp
// level.
func choicePage(title string, base appForm, all []measured) plot.Page {
	page := plot.Page{Title: title, Width: 1100, Columns: len(all)}
	for i := range all {
		m := all[i].byLevel()
		places := papers.List(len(m.inputs), func(i int) float64 { return float64(i + 1) })
		line := func(name string, times []float64, style plot.Style) plot.Line {
			return plot.Line{Name: name, X: places, Y: ratios(m.times(base), times), Style: style}
		}
		page.Panels = append(page.Panels, plot.Figure{
			Title: m.name + ", " + generationOf[m.gpu], XLabel: "inputs by rising warp level",
			YLabel: "speedup over " + base.name, YLog: true, Lines: []plot.Line{
				line("fastest", m.bestTimes(), plot.Solid), line("chosen", m.chosenTimes(), plot.Markers),
				asFast(1, float64(len(places))),
			},
		})
	}
	return page
}
