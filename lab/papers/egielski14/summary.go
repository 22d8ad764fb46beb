package egielski14

import (
	"context"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// summarised is a benchmark on a device in Figure 10.
type summarised struct {
	name, gpu string
	extent
	reduced float64 // largest speedup of a form with fewer collisions over naive
}

// figure10 is the summary of all benchmarks, [egielski14] Figure 10.
func (c *simulations) figure10(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	all, err := c.measure(ctx, o, on(benchmarks()...)...)
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	t := papers.NewTable("figure10", "Speedups of the chosen forms over the original",
		"benchmark|device|minimum|average|maximum|off optimal [%]|best over naive")
	summary := summarise(all)
	for i, s := range summary {
		t.Add(s.name, generationOf[s.gpu], s.least, s.mean, s.most, all[i].offOptimal(), s.reduced)
	}
	f.Table(t)
	for i := range all {
		// Histograms have theirs in Tables 1 and 2.
		if m := &all[i]; i%(len(all)/2) >= len(histogramLevels) {
			f.Table(m.table(fmt.Sprintf("figure10-%s-%s", m.gpu, m.name),
				"Times of "+m.name+" on "+generationOf[m.gpu], "input"))
		}
	}
	f.summaryRows(summary)
	f.Page = summaryPage(summary)
	return f.Outcome, nil
}

// summarise takes each benchmark over its original, which for the histograms has block-private
// naive atomics: the first benchmark of each device.
func summarise(all []measured) []summarised {
	var out []summarised
	for i := range all {
		m := &all[i]
		base := m.times(m.forms[0])
		if m.application == apps.Histogram {
			first := slices.IndexFunc(all, func(other measured) bool { return other.gpu == m.gpu })
			base = all[first].times(formAA)
		}
		s := summarised{name: m.name, gpu: m.gpu, extent: extentOf(ratios(base, m.chosenTimes()))}
		for _, form := range m.forms[1:] {
			s.reduced = max(s.reduced, extentOf(m.speedups(form, formAA)).most)
		}
		out = append(out, s)
	}
	return out
}

func (f *findings) summaryRows(all []summarised) {
	least, widest, smallest, tenfold := all[0].least, all[0].most, all[0].most, 0.0
	around := 0
	for _, s := range all {
		f.State(fmt.Sprintf("%s, %s, average speedup", generationOf[s.gpu], s.name), s.mean,
			s.mean >= nonTrivial)
		least, widest, smallest, tenfold = min(least, s.least), max(widest, s.most),
			min(smallest, s.most), max(tenfold, s.reduced)
		if s.least >= hardlySlower && 1/s.least >= hardlySlower {
			around++
		}
	}
	f.countRow("benchmarks with a minimal speedup around 1", around, len(all), 2*around > len(all))
	extreme := func(item string, paper, ours float64) {
		f.StateRatio(item, papers.Extreme, paper, ours)
	}
	extreme("smallest speedup", statedLeast, least)
	extreme("maximal speedups, smallest", statedModest, smallest)
	extreme("maximal speedups, largest", statedMost, widest)
	f.State("largest speedup of fewer collisions over naive", tenfold, tenfold >= statedHeavy).
		PaperValue = papers.Text(papers.Number(statedHeavy).String() + " or more")
	f.disparityRows(all)
}

// disparityRows hold which benchmarks depend most on their input.
func (f *findings) disparityRows(all []summarised) {
	ratio := func(names ...string) (least, most float64) {
		for _, s := range all {
			if slices.Contains(names, s.name) {
				most = max(most, s.most/s.least)
				if least == 0 || s.most/s.least < least {
					least = s.most / s.least
				}
			}
		}
		return least, most
	}
	_, others := ratio("SpMV", "merge sort", "summation")
	for _, part := range []struct {
		what  string
		names []string
	}{
		{"histograms", []string{"block-private", "warp-private", "no-private"}},
		{"page views", []string{"page views"}},
	} {
		ours, _ := ratio(part.names...)
		f.State("largest over smallest speedup, "+part.what+" against others", ours/others,
			ours >= muchLarger*others)
	}
}

// summaryPage draws the speedups of the devices side by side.
func summaryPage(all []summarised) plot.Page {
	var names []string
	var series []extents
	half := len(all) / 2
	for d, gpu := range bothDevices {
		own := extents{name: generationOf[gpu]}
		for _, s := range all[d*half : (d+1)*half] {
			if d == 0 {
				names = append(names, s.name)
			}
			own.all = append(own.all, s.extent)
		}
		series = append(series, own)
	}
	panel := extentsPanel("the original", names, series...)
	panel.Lines = append(panel.Lines, level("the paper's smallest", statedLeast, len(names)),
		level("the paper's largest", statedMost, len(names)))
	return plot.Page{Title: "Chosen forms over the original, all benchmarks (simulated)", Width: 1000,
		Panels: []plot.Panel{panel}}
}
