package egielski14

import (
	"context"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// products measures SpMV on both devices, for the matrices that keep says.
func (c *simulations) products(ctx context.Context, o papers.Options,
	keep func(input) bool) ([]measured, error) {
	all, err := c.measure(ctx, o, on(matrixProduct())...)
	for i := range all {
		all[i] = all[i].narrowed(keep)
	}
	return all, err
}

// figure2 is naive atomics in SpMV, [egielski14] Figure 2.
func (c *simulations) figure2(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	all, err := c.products(ctx, o, func(in input) bool { return in.motivates })
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	f.motivationRows(all)
	bars := plot.Bars{XLabel: "matrix", YLabel: "speedup over non-atomic", Categories: all[0].names()}
	for i := range all {
		m := &all[i]
		bars.Series = append(bars.Series, plot.Series{Name: generationOf[m.gpu],
			Values: m.speedups(formAA, formOriginal)})
		f.Table(m.table("figure2-"+m.gpu, "Times of SpMV on "+generationOf[m.gpu], "matrix"))
	}
	bars.Overlay = overBars(len(bars.Categories))
	f.Page = plot.Page{Title: "Naive atomics in SpMV (GTX 680 and Tesla C2075, simulated)",
		Panels: []plot.Panel{bars}}
	return f.Outcome, nil
}

// asFast is a line at a speedup of 1.
func asFast(from, to float64) plot.Line {
	return plot.Line{Name: "as fast", X: []float64{from, to}, Y: []float64{1, 1},
		Style: plot.Reference}
}

// overBars is asFast over the bars of so many categories.
func overBars(categories int) []plot.Line {
	return []plot.Line{asFast(-0.5, float64(categories)-0.5)}
}

func slower(v float64) bool { return papers.Side(v) < 0 }
func faster(v float64) bool { return papers.Side(v) > 0 }

func (f *findings) motivationRows(all []measured) {
	for i := range all {
		m := &all[i]
		where, speedups := generationOf[m.gpu], m.speedups(formAA, formOriginal)
		slow, quick, n := count(speedups, slower), count(speedups, faster), len(speedups)
		const item = ", matrices that naive atomics "
		if m.gpu == fermi {
			f.countRow(where+item+"slow down", slow, n, 2*slow > n)
			f.countRow(where+item+"speed up", quick, n, some(quick, n))
			continue
		}
		f.countRow(where+item+"slow down", slow, n, slow == statedSlower).
			PaperValue = ofStated(statedSlower, statedMatrices)
		f.countRow(where+item+"speed up", quick, n, 2*quick > n)
	}
}

// some reports whether that many are some and not most.
func some(number, of int) bool { return number > 0 && 2*number <= of }

// figure5 is SpMV with fewer collisions and the chosen form, [egielski14] Figure
// 5.
func (c *simulations) figure5(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	all, err := c.products(ctx, o, func(in input) bool { return in.motivates })
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	f.improvementRows(&all[0])
	f.reductionRows(&all[1])
	f.Page = plot.Page{Title: "SpMV with fewer collisions (simulated)", Width: 1100, SharedY: true}
	for i := range all {
		m := &all[i]
		f.Page.Panels = append(f.Page.Panels, plot.Bars{
			Title: generationOf[m.gpu], XLabel: "matrix", YLabel: "speedup over non-atomic",
			Categories: m.names(),
			Series: []plot.Series{
				{Name: "naive", Values: m.speedups(formAA, formOriginal)},
				{Name: "SR+SS", Values: m.speedups(formSRSS, formOriginal)},
				{Name: "chosen", Values: ratios(m.times(formOriginal), m.chosenTimes())},
			},
			Overlay: overBars(len(m.inputs)),
		})
		f.Table(m.table("figure5-"+m.gpu, "Times of SpMV on "+generationOf[m.gpu], "matrix"))
	}
	return f.Outcome, nil
}

// improved are the matrices that SR and SS together improve most on Kepler, and
// dense those that they leave slower than without atomics on Fermi.
var (
	improved = []string{"mac_econ", "scircuit", "mc2depi"}
	dense    = []string{"consph", "cop20k_A", "dense2"}
)

func named(names []string) func(input) bool {
	return func(in input) bool { return slices.Contains(names, in.name) }
}

func (f *findings) improvementRows(m *measured) {
	three := m.narrowed(named(improved))
	most := extentOf(three.speedups(formSRSS, formOriginal)).most
	f.StateNumber("Kepler, largest improvement of mac_econ, scircuit and mc2depi", statedGain,
		100*(most-1), papers.Average.Met(most, 1+statedGain/100))
}

func (f *findings) reductionRows(m *measured) {
	gain, n := m.speedups(formSRSS, formAA), len(m.inputs)
	big := count(gain, func(v float64) bool { return v >= significant })
	f.countRow("Fermi, matrices for which SR+SS makes a big difference to naive", big, n, big >= n-1)
	over := m.speedups(formSRSS, formOriginal)
	var better, worse []string
	for i, v := range over {
		if name := m.inputs[i].name; faster(v) {
			better = append(better, name)
		} else if slower(v) {
			worse = append(worse, name)
		}
	}
	slices.Sort(worse)
	isDense := func(name string) bool { return slices.Contains(dense, name) }
	f.countRow("Fermi, SR+SS of seven matrices against non-atomic, better", len(better), n,
		len(better) == statedBetter && !slices.ContainsFunc(better, isDense)).
		PaperValue = ofStated(statedBetter, statedMatrices)
	found := "none"
	if len(worse) > 0 {
		found = strings.Join(worse, ", ")
	}
	f.State("Fermi, SR+SS of seven matrices against non-atomic, worse", found,
		slices.Equal(worse, dense) && extentOf(over).least >= hardlySlower)
	three := m.narrowed(named(dense))
	kept := 0
	for _, form := range three.chosen {
		if three.forms[form] == formOriginal {
			kept++
		}
	}
	f.countRow("Fermi, dense matrices for which the non-atomic form is chosen", kept,
		len(three.inputs), kept == statedWorse).PaperValue = ofStated(statedWorse, len(dense))
}

// figure8 is all forms of SpMV, [egielski14] Figure 8.
func (c *simulations) figure8(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	all, err := c.products(ctx, o, func(in input) bool { return in.represents })
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	f.formRows(&all[0], &all[1])
	f.Page = plot.Page{Title: "SpMV, all forms (simulated)", Width: 1100, Columns: 1}
	for i := range all {
		m := &all[i]
		bars := plot.Bars{Title: generationOf[m.gpu], XLabel: "matrix", YLabel: "speedup over non-atomic",
			Categories: m.names(), Overlay: overBars(len(m.inputs))}
		for _, form := range m.forms[1:] {
			bars.Series = append(bars.Series, plot.Series{Name: form.name,
				Values: m.speedups(form, formOriginal)})
		}
		f.Page.Panels = append(f.Page.Panels, bars)
		f.Table(m.table("figure8-"+m.gpu,
			"Times of SpMV on "+generationOf[m.gpu]+", with the collision levels of Figure 9", "matrix"))
	}
	return f.Outcome, nil
}

func (f *findings) formRows(k, other *measured) {
	n := len(other.inputs)
	gain := count(other.speedups(formSRSS, formAA), func(v float64) bool { return v >= significant })
	f.countRow("Fermi, matrices that SR+SS speeds up significantly over naive", gain, n, 2*gain > n)
	better := count(other.speedups(formSRSS, formOriginal), faster)
	f.countRow("Fermi, matrices with SR+SS better than non-atomic", better, n,
		better > 0 && better <= n-statedWorse)
	change := extentOf(k.speedups(formSRSS, formAA))
	f.State("Kepler, SR+SS over naive", papers.Interval(change.least, change.most),
		slower(change.least) && change.least >= hardlySlower && change.most >= significant)
	ours, theirs := extentOf(k.speedups(formAA, formOriginal)).mean,
		extentOf(other.speedups(formAA, formOriginal)).mean
	f.State("naive over non-atomic, Kepler against Fermi", ours/theirs, faster(ours/theirs))
}
