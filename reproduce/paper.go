package reproduce

// Paper is a paper and its experiments.
type Paper struct {
	Key         string // such as gomezluna13
	Experiments []Experiment
	// Inputs reports that Options.Patterns, Objects and Images matter to some of
	// the experiments.
	Inputs bool
	// Scaled reports that Options.Scale matters.
	Scaled bool
}

// Papers lists the papers, the first one first.
func Papers() []Paper {
	return []Paper{
		{Key: "gomezluna13", Experiments: Gomezluna13(), Inputs: true},
		{Key: "elteir11", Experiments: Elteir11()},
		{Key: "streamhpc", Experiments: Streamhpc()},
		{Key: "westphal15", Experiments: Westphal15(), Scaled: true},
		{Key: "egielski14", Experiments: Egielski14(), Scaled: true},
	}
}

// of gives experiments the key of their paper.
func of(paper string, all []Experiment) []Experiment {
	for i := range all {
		all[i].paper = paper
	}
	return all
}

// Gomezluna13 lists the experiments of [gomezluna13] in the order of the paper.
func Gomezluna13() []Experiment {
	return of("gomezluna13", []Experiment{
		{Name: "figure2", Title: "Latency of an atomic addition with position conflicts", run: figure2},
		{Name: "section2.1.1", Title: "Throughput with position conflicts", run: throughput},
		{Name: "section2.1.2", Title: "Penalties of bank conflicts and worked examples", run: penalties},
		{Name: "section2.1.3", Title: "The locks behind the penalties", run: locks},
		{Name: "figure3", Title: "Latency of an atomic addition with bank conflicts", run: figure3},
		{Name: "section2.1.4", Title: "The model on 5,184 patterns", run: reliability},
		{Name: "section2.2", Title: "Throughput with conflicts between warps", run: interwarp},
		{Name: "figure5", Title: "Lock and bank conflicts of random patterns", run: figure5},
		{Name: "figure6", Title: "Lock and bank conflicts with the most copies", run: figure6},
		{Name: "figure7", Title: "Replication, mapping, padding and sorting", run: figure7},
		{Name: "figure8", Title: "Centroid update of k-means", run: figure8},
		{Name: "figure9", Title: "Histograms of natural images", run: figure9},
	})
}

// Elteir11 lists the experiments of [elteir11] in the order of the paper.
func Elteir11() []Experiment {
	return of("elteir11", []Experiment{
		{Name: "figure1", Title: "Bandwidth of the two ways to memory", run: onRadeon((*radeon).figure1)},
		{Name: "figure4", Title: "What an atomic operation does to memory accesses", run: onRadeon((*radeon).figure4)},
		{Name: "section4", Title: "How many workgroups a coordinator serves", run: onRadeon((*radeon).section4)},
		{Name: "section5", Title: "The equations beside the measurements", run: onRadeon((*radeon).section5)},
		{Name: "figure8", Title: "Atomic operations alone", run: onRadeon((*radeon).figure8)},
		{Name: "figure9", Title: "Atomic operations and memory accesses", run: onRadeon((*radeon).figure9)},
		{Name: "figure10", Title: "Matrix multiplication", run: onRadeon((*radeon).figure10)},
		{Name: "figure11", Title: "Map phase of k-means", run: onRadeon((*radeon).figure11)},
		{Name: "figure12", Title: "Scalar product", run: onRadeon((*radeon).figure12)},
		{Name: "figure13", Title: "String match", run: onRadeon((*radeon).figure13)},
		{Name: "figure14", Title: "Speedup over accesses and arithmetic", run: onRadeon((*radeon).figure14)},
		{Name: "accesses", Title: "Accesses by path", run: onRadeon((*radeon).accesses)},
	})
}

// Streamhpc lists the experiments of [streamhpc]: its two listings and what it
// says beside them.
func Streamhpc() []Experiment {
	return of("streamhpc", []Experiment{
		{Name: "listings", Title: "What both listings make of stale reads", run: streamhpcListings},
		{Name: "reads", Title: "Exchanges for an update, by how often reads are fresh", run: streamhpcReads},
		{Name: "operations", Title: "The other operations, and local memory", run: streamhpcOperations},
	})
}

// Westphal15 lists the experiments of [westphal15].
func Westphal15() []Experiment {
	return of("westphal15", []Experiment{
		{Name: "steps", Title: "get_peers and reduce_peers, step by step", run: westphalSteps},
		{Name: "divergence", Title: "Compare-and-swap loops of a warp", run: westphalDivergence},
		{Name: "figure1", Title: "Double precision, ordered and shifted keys", run: westphalFigure1},
		{Name: "excluded", Title: "Single precision, and random keys", run: westphalExcluded},
		{Name: "masks", Title: "What the masks of peers cost", run: westphalMasks},
		{Name: "hopper", Title: "The same keys on an H200, simulated and measured", run: westphalHopper},
	})
}
