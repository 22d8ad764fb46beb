package dispatch

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// Fitted returns the candidate's implementation with as many of its copies as fit into a block, which
// is what a launch runs. Even one copy may not fit: then the launch falls back to global atomics,
// with the candidate's reduction.
func (a Candidate) Fitted(l device.Limits, t device.Type, bins uint64) impl.Spec {
	v := a.Implementation
	for v.R() > 1 && v.SharedBytes(bins, t.Bytes()) > l.SharedBytes {
		v.Replicas--
	}
	if v.Pad == 1 { // the header puts copies an odd number of words apart
		v.Pad = int(1 - v.RangeOf(bins)%2)
	}
	return Single(v)
}

// Single spells one copy as it is spelt by itself: without elements between copies.
func Single(v impl.Spec) impl.Spec {
	if v.Replicas == 1 {
		v.Replicas, v.Pad = 0, 0
	}
	return v
}

// On returns the launch on a device.
func (l PerSM) On(d device.Limits) device.Launch {
	return device.Launch{Blocks: uint64(l.BlocksPerSM * d.SMs), Threads: l.Threads, Unroll: l.Unroll}
}
