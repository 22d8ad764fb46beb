// Package synth makes index streams: sequences of targets in [0, k), one per
// update, whose collisions are known by construction. A Spec names the family
// of a stream, its length, its number of targets, its seed and the family's
// parameters, and prints as one lower-case word:
//
//	zipf:n=65536,k=1024,seed=1,s=1.1,shuffle=1
//
// The same Spec gives the same targets on every platform and in every release
// of Go: the random numbers are the package's own, floating point uses only
// the operations that IEEE 754 rounds exactly, and no product is left for a
// compiler to fuse with a sum.
//
// References:
//
//	[westphal15] E. Westphal. Voting and Shuffling to Optimize Atomic
//	             Operations. NVIDIA developer blog, 2015.
//	[hormann96]  W. Hörmann, G. Derflinger. Rejection-Inversion to Generate
//	             Variates from Monotone Discrete Distributions. ACM TOMACS
//	             6(3), 1996.
//	[steele14]   G. Steele, D. Lea, C. Flood. Fast Splittable Pseudorandom
//	             Number Generators. OOPSLA 2014.
//	[lemire19]   D. Lemire. Fast Random Integer Generation in an Interval. ACM
//	             TOMACS 29(1), 2019.
package synth
