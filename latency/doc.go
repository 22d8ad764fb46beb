// Package latency predicts in closed form what one warp's operation on shared
// memory costs: an atomic addition by a lock loop, a native unit or a
// compare-and-swap loop, or a plain access. It gives the mean over random
// patterns, and picks replication, padding and mapping for a vote space.
//
// References:
//
//	[gomezluna13] J. Gómez-Luna, J. M. González-Linares, J. I. Benavides,
//	              N. Guil. Performance Modeling of Atomic Additions on GPU
//	              Scratchpad Memory. IEEE TPDS 24(11), 2013.
package latency

import "errors"

// The errors of this package.
var (
	ErrPattern = errors.New("no such access pattern")
	ErrParams  = errors.New("unusable parameters")
)

// Inactive marks a lane that takes no part.
const Inactive = -1

// MaxLanes is the largest warp.
const MaxLanes = 64
