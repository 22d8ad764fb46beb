package egielski14

import (
	"fmt"

	"github.com/atomtune/atomtune/lab/papers"
)

// published is a line of Tables 1 to 3 of [egielski14]: speedups, and the
// percentage by which the chosen form is slower than the fastest one.
type published struct{ least, most, mean, off float64 }

// histogramTables are Tables 1 and 2, in the order of histogramLevels.
var histogramTables = map[string][]published{
	kepler: {{0.91, 14.74, 3.90, 9.41}, {0.58, 6.98, 2.03, 12.80}, {0.99, 6.87, 2.30, 0.04}},
	fermi:  {{0.68, 9.51, 3.08, 7.82}, {0.65, 7.61, 2.39, 8.21}, {0.99, 15.40, 4.28, 0.10}},
}

// productTable is Table 3. Its heads say minimum, maximum, mean, but its values
// only fit minimum, mean, maximum.
var productTable = map[string]published{
	kepler: {0.99, 2.46, 1.35, 4.68},
	fermi:  {0.70, 1.51, 1.04, 8.55},
}

// The factors up to which speedups of [egielski14] are taken to be met: an
// average of many inputs, and an extreme, which one input decides.
const (
	averageFactor = 1.5
	extremeFactor = 2
)

// mostOff is the largest of the averages that the paper calls extremely small,
// in percent, from Table 1.
const mostOff = 12.80

// extentRows hold speedups against a line of a table.
func (f *findings) extentRows(what string, ours extent, paper published) {
	row := func(name string, ours, paper, factor float64) {
		f.State(what+", "+name+" speedup", ours, papers.Within(ours, paper, factor)).
			PaperValue = papers.Number(paper)
	}
	row("minimum", ours.least, paper.least, extremeFactor)
	row("maximum", ours.most, paper.most, extremeFactor)
	row("average", ours.mean, paper.mean, averageFactor)
}

// offRow holds how far the choice is from the fastest form.
func (f *findings) offRow(what string, ours, paper float64) {
	f.State(what+", off optimal", ours, ours <= mostOff).PaperValue = papers.Number(paper)
}

// countRow holds a number of inputs.
func (f *findings) countRow(item string, ours, of int, holds bool) {
	f.State(item, fmt.Sprintf("%d of %d", ours, of), holds)
}
