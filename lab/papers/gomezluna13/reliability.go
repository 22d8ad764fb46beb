package gomezluna13

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// reliability compares Algorithm 1 with the simulator on 5,184 patterns,
// [gomezluna13] section 2.1.4.
func reliability(f *findings, p *probe) {
	all := patterns.Structured()
	var errors []float64
	points := map[[2]float64]int{}
	for _, pattern := range all {
		closed, simulated := p.closed(pattern), p.simulated(pattern)
		errors = append(errors, 100*math.Abs(closed/simulated-1))
		points[[2]float64{simulated, closed}]++
	}
	slices.Sort(errors)
	median := errors[len(errors)/2]
	f.StateNumber("warp access patterns compared", statedPatterns, len(errors),
		float64(len(errors)) == statedPatterns)
	f.StateLimit("median relative error of the model, at most", statedError, median,
		median <= statedError)
	t := papers.NewTable("section2.1.4", "Relative error of Algorithm 1 against the simulator",
		"patterns|different latencies|median [%]|p90 [%]|maximum [%]")
	t.Add(len(all), len(points), median, errors[len(errors)*9/10], errors[len(errors)-1])
	f.Table(t)
	f.Page = plot.Page{Panels: []plot.Panel{scatter(points)}}
}

// scatter draws closed form over simulator.
func scatter(points map[[2]float64]int) plot.Figure {
	var simulated, closed []float64
	most := 0.0
	for _, at := range slices.SortedFunc(maps.Keys(points),
		func(a, b [2]float64) int { return slices.Compare(a[:], b[:]) }) {
		simulated, closed = append(simulated, at[0]), append(closed, at[1])
		most = math.Max(most, math.Max(at[0], at[1]))
	}
	return plot.Figure{
		Title: fmt.Sprintf("Algorithm 1 and simulator: %d different latencies (GeForce GTX 580)",
			len(points)),
		XLabel: "simulated latency [cycles]", YLabel: "closed form [cycles]",
		Lines: []plot.Line{
			{Name: "equality", X: []float64{0, most}, Y: []float64{0, most}, Style: plot.Reference},
			{Name: "patterns", X: simulated, Y: closed, Style: plot.Markers},
		},
	}
}
