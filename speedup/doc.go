// Package speedup gives the closed-form cost of every implementation of an atomic update stream,
// from the stream's collision statistics and the device's profile.
//
// A call is a sequence of phases whose times add up: the host's re-layout if there is one, the
// launches, the clearing of the targets and the kernels. Within a phase the parts of the device
// work at the same time, so a phase takes as long as its busiest part: the maximum over its bounds.
// Each bound has a name, and the answer says which of them binds.
//
// Launches of the host and the device's work overlap: the phase named launch is what remains of the
// call. Work is taken to spread evenly over the blocks, and a warp to behave like the mean of all.
// Every other approximation is documented at its function. What differs between devices stands in
// their profiles. The tests hold the predictions to the calls recorded on an H200, datasets/h200.
//
// A kernel is launched as device.Limits.Shape says, or as Bundle.Launched fixes it. Other launches
// than the shape's have no recordings: tests hold them to the simulator.
//
// Padding, collision.Stats.Ignored, is priced as what a kernel does that skips it: its positions
// take lanes, turns and threads, and their indices are read. Their values count as read too, which
// a warp does unless a whole sector of them is padding. No recording and no simulated call has
// padding.
//
// References:
//
//	[egielski14]  I. Egielski, J. Huang, E. Z. Zhang. Massive Atomics for
//	              Massive Parallelism on GPUs. ISMM 2014.
//	[gomezluna13] J. Gómez-Luna, J. M. González-Linares, J. I. Benavides,
//	              N. Guil. Performance Modeling of Atomic Additions on GPU
//	              Scratchpad Memory. IEEE TPDS 24(11), 2013.
//	[westphal15]  E. Westphal. Voting and Shuffling to Optimize Atomic
//	              Operations. NVIDIA developer blog, 2015.
//	[raab98]      M. Raab, A. Steger. "Balls into Bins" - A Simple and Tight
//	              Analysis. RANDOM 1998.
package speedup
