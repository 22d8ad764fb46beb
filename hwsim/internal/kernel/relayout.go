package kernel

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/relayout"
	"github.com/atomtune/atomtune/variant"
)

// OrderOf returns the places of the updates in the stream as the implementation
// has it re-laid, or nil where the stream stays as it is.
func OrderOf(d *device.Profile, v variant.Variant, indices []uint32, bins uint64) []uint32 {
	switch {
	case !v.Scatter:
		return nil
	case reductionOf(v.Reduction).runs:
		return relayout.Warps(indices, bins, int(d.Core.WarpLanes.Value))
	}
	return relayout.Order(indices, bins)
}

// HostTime returns the host's share in re-laying n updates, in microseconds.
func HostTime(d *device.Profile, v variant.Variant, n int) float64 {
	if !v.Scatter {
		return 0
	}
	return float64(n) * d.Host.Relayout.Value / 1e3
}

// Restore is the inverse of permute.
func Restore(in []uint64, order []uint32) []uint64 {
	out := make([]uint64, len(in))
	for place, update := range order {
		out[update] = in[place]
	}
	return out
}

// Permute returns the elements of in in the order that package relayout gives;
// nil stays nil.
func Permute[T any](in []T, order []uint32) []T {
	if in == nil {
		return nil
	}
	out := make([]T, len(in))
	for i, from := range order {
		out[i] = in[from]
	}
	return out
}
