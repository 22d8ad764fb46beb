package reproduce

// Egielski14 lists the experiments of [egielski14] in the order of the paper.
// What one of them has simulated, the others that come from the same call use.
func Egielski14() Paper { return newCampaign().experiments() }

func (c *campaign) experiments() Paper {
	return NewPaper(Paper{Key: "egielski14", Scaled: true, Experiments: []Experiment{
		{Name: "figure2", Title: "Naive atomics in SpMV", Make: c.figure2},
		{Name: "figure5", Title: "SpMV with fewer collisions, and the form chosen", Make: c.figure5},
		{Name: "table1", Title: "Histogram, the chosen form on Kepler", Make: c.histogramTable(1, kepler)},
		{Name: "table2", Title: "Histogram, the chosen form on Fermi", Make: c.histogramTable(2, fermi)},
		{Name: "figure7", Title: "Histograms, all forms", Make: c.figure7},
		{Name: "figure8", Title: "SpMV, all forms", Make: c.figure8},
		{Name: "table3", Title: "SpMV, the chosen form", Make: c.table3},
		{Name: "figure10", Title: "All benchmarks", Make: c.figure10},
	}})
}
