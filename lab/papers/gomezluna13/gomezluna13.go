// Package gomezluna13 computes the latencies and throughputs of atomic additions
// on shared memory again, k-means and histograms with them, and what replication,
// mapping and padding gain.
//
// References:
//
//	[gomezluna13]   J. Gómez-Luna, J. M. González-Linares, J. I. Benavides,
//	                N. Guil. Performance Modeling of Atomic Additions on GPU
//	                Scratchpad Memory. IEEE TPDS 24(11), 2013.
//	[field87]       D. J. Field. Relations between the statistics of natural
//	                images and the response properties of cortical cells.
//	                J. Opt. Soc. Am. A 4(12), 1987.
//	[lee01]         A. B. Lee, D. Mumford, J. Huang. Occlusion models for natural
//	                images: a statistical study of a scale-invariant dead leaves
//	                model. Int. J. Computer Vision 41, 2001.
//	[vanhateren98]  J. H. van Hateren, A. van der Schaaf. Independent component
//	                filters of natural images compared with simple cells in
//	                primary visual cortex. Proc. R. Soc. B 265, 1998.
package gomezluna13

import (
	_ "embed"

	"github.com/atomtune/atomtune/lab/papers"
)

//go:embed statements.csv
var statements string

// Paper lists the experiments of [gomezluna13] in the order of the paper.
func Paper() papers.Paper {
	return papers.NewPaper(papers.Paper{Key: "gomezluna13", Inputs: true, Memo: true, Published: published,
		Reference: "J. Gómez-Luna, J. M. González-Linares, J. I. Benavides, N. Guil. Performance Modeling " +
			"of Atomic Additions on GPU Scratchpad Memory. IEEE TPDS 24(11), 2013",
		Experiments: []papers.Experiment{
			{Name: "figure2", Title: "Latency of an atomic addition with position conflicts",
				Make: onProbe(figure2)},
			{Name: "section2.1.1", Title: "Throughput with position conflicts", Make: onProbe(throughput)},
			{Name: "section2.1.2", Title: "Penalties of bank conflicts and worked examples",
				Make: penalties},
			{Name: "section2.1.3", Title: "The locks behind the penalties", Make: onProbe(locks)},
			{Name: "figure3", Title: "Latency of an atomic addition with bank conflicts",
				Make: onProbe(figure3)},
			{Name: "section2.1.4", Title: "The model on 5,184 patterns", Make: onProbe(reliability)},
			{Name: "section2.2", Title: "Throughput with conflicts between warps", Make: onProbe(interwarp)},
			{Name: "figure5", Title: "Lock and bank conflicts of random patterns", Make: figure5},
			{Name: "figure6", Title: "Lock and bank conflicts with the most copies", Make: figure6},
			{Name: "figure7", Title: "Replication, mapping, padding and sorting", Make: figure7},
			{Name: "figure8", Title: "Centroid update of k-means", Make: figure8},
			{Name: "figure9", Title: "Histograms of natural images", Make: figure9},
		}}, statements)
}
