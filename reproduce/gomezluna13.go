package reproduce

// Gomezluna13 lists the experiments of [gomezluna13] in the order of the paper.
func Gomezluna13() Paper {
	return NewPaper(Paper{Key: "gomezluna13", Inputs: true, Experiments: []Experiment{
		{Name: "figure2", Title: "Latency of an atomic addition with position conflicts", Make: figure2},
		{Name: "section2.1.1", Title: "Throughput with position conflicts", Make: throughput},
		{Name: "section2.1.2", Title: "Penalties of bank conflicts and worked examples", Make: penalties},
		{Name: "section2.1.3", Title: "The locks behind the penalties", Make: locks},
		{Name: "figure3", Title: "Latency of an atomic addition with bank conflicts", Make: figure3},
		{Name: "section2.1.4", Title: "The model on 5,184 patterns", Make: reliability},
		{Name: "section2.2", Title: "Throughput with conflicts between warps", Make: interwarp},
		{Name: "figure5", Title: "Lock and bank conflicts of random patterns", Make: figure5},
		{Name: "figure6", Title: "Lock and bank conflicts with the most copies", Make: figure6},
		{Name: "figure7", Title: "Replication, mapping, padding and sorting", Make: figure7},
		{Name: "figure8", Title: "Centroid update of k-means", Make: figure8},
		{Name: "figure9", Title: "Histograms of natural images", Make: figure9},
	}})
}
