// Package fit finds the constants of a device from measurements of it. Scratchpad
// fits patterns of single warps: which mechanism works on shared memory, how
// many banks and locks it has, and how many cycles each part of an operation
// takes. Profile fits everything that a device's profile holds.
//
// References:
//
//	[gomezluna13] J. Gómez-Luna, J. M. González-Linares, J. I. Benavides,
//	              N. Guil. Performance Modeling of Atomic Additions on GPU
//	              Scratchpad Memory. IEEE TPDS 24(11), 2013.
package fit

import "errors"

// ErrData is wrapped by errors about measurements that nothing can be fitted to.
var ErrData = errors.New("measurements cannot be fitted")

// ErrOptions is wrapped by errors about options.
var ErrOptions = errors.New("unusable options")
