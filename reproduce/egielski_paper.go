package reproduce

// Egielski14 lists the experiments of [egielski14] in the order of the paper.
// What one of them has simulated, the others that come from the same call use.
func Egielski14() []Experiment { return newCampaign().experiments() }

func (c *campaign) experiments() []Experiment {
	return of("egielski14", []Experiment{
		{Name: "figure2", Title: "Naive atomics in SpMV", run: c.figure2},
		{Name: "figure5", Title: "SpMV with fewer collisions, and the form chosen", run: c.figure5},
		{Name: "table1", Title: "Histogram, the chosen form on Kepler", run: c.histogramTable(1, kepler)},
		{Name: "table2", Title: "Histogram, the chosen form on Fermi", run: c.histogramTable(2, fermi)},
		{Name: "figure7", Title: "Histograms, all forms", run: c.figure7},
		{Name: "figure8", Title: "SpMV, all forms", run: c.figure8},
		{Name: "table3", Title: "SpMV, the chosen form", run: c.table3},
		{Name: "figure10", Title: "All benchmarks", run: c.figure10},
	})
}
