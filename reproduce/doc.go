// Package reproduce recomputes the experiments of a paper and says, statement
// by statement, which of them hold: what the paper states beside what the
// closed forms and the simulator of this project find, as rows, tables and
// figures.
//
// A statement that holds is enforced: a test fails once it no longer does. One
// that does not is a known gap with its reason, and its test fails once the gap
// has closed. No constant of a device, the closed forms or the simulator was
// chosen to make a statement hold, with one exception that rows and profile name:
// those of the GeForce GTX 580 are the ones that the paper gives, or estimates
// marked so in the device's profile, and so are those of the Radeon HD 5870, but
// for three that were fitted to Figures 4 and 8 of [elteir11].
//
// References:
//
//	[gomezluna13]   J. Gómez-Luna, J. M. González-Linares, J. I. Benavides,
//	                N. Guil. Performance Modeling of Atomic Additions on GPU
//	                Scratchpad Memory. IEEE TPDS 24(11), 2013.
//	[elteir11]      M. Elteir, H. Lin, W. Feng. Performance Characterization and
//	                Optimization of Atomic Operations on AMD GPUs. IEEE CLUSTER
//	                2011.
//	[streamhpc]     Atomic operations for floats in OpenCL, improved. StreamHPC
//	                blog.
//	[westphal15]    E. Westphal. Voting and Shuffling to Optimize Atomic Operations.
//	                NVIDIA developer blog, 2015.
//	[egielski14]    I. Egielski, J. Huang, E. Z. Zhang. Massive Atomics for Massive
//	                Parallelism on GPUs. ISMM 2014.
//	[williams07]    S. Williams, L. Oliker, R. Vuduc, J. Shalf, K. Yelick,
//	                J. Demmel. Optimization of Sparse Matrix-Vector Multiplication
//	                on Emerging Multicore Platforms. SC 2007.
//	[field87]       D. J. Field. Relations between the statistics of natural
//	                images and the response properties of cortical cells.
//	                J. Opt. Soc. Am. A 4(12), 1987.
//	[lee01]         A. B. Lee, D. Mumford, J. Huang. Occlusion models for natural
//	                images: a statistical study of a scale-invariant dead leaves
//	                model. Int. J. Computer Vision 41, 2001.
//	[vanhateren98]  J. H. van Hateren, A. van der Schaaf. Independent component
//	                filters of natural images compared with simple cells in
//	                primary visual cortex. Proc. R. Soc. B 265, 1998.
package reproduce

import "errors"

// ErrOptions is wrapped by errors about options that describe no experiment.
var ErrOptions = errors.New("no such experiment")
