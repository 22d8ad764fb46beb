package kernel

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/variant"
)

// The bounds of package hwsim.
const (
	MaxUpdates = 1 << 28
	MaxBins    = 1 << 26
)

// Check reports a call that the device cannot make, or that is none.
func Check(d *device.Profile, call device.Call, v variant.Variant, indices []uint32,
	bins uint64) error {
	if d == nil {
		return fmt.Errorf("%w: no device", machine.ErrStream)
	}
	if err := v.Validate(); err != nil {
		return fmt.Errorf("%w: %v", machine.ErrStream, err)
	}
	if err := d.CanCall(v, call, bins); err != nil {
		return err
	}
	how := ImplementationOf(v)
	switch {
	case how.launch == nil:
		return fmt.Errorf("%w: %s is no kernel program: package coordinator simulates it",
			device.ErrCannot, v)
	case len(indices) == 0:
		return fmt.Errorf("%w: no updates", machine.ErrStream)
	case len(indices) > MaxUpdates:
		return fmt.Errorf("%w: %d updates, at most %d", machine.ErrStream, len(indices), MaxUpdates)
	case bins > MaxBins:
		return fmt.Errorf("%w: %d targets, at most %d", machine.ErrStream, bins, MaxBins)
	case call.Validate() != nil:
		return call.Validate()
	case call.Returns && !v.ReturnsOld():
		return fmt.Errorf("%w: %s does not return the old values", device.ErrCannot, v)
	}
	for i, x := range indices {
		if uint64(x) >= bins {
			return fmt.Errorf("%w: update %d: index %d is not below %d targets",
				machine.ErrStream, i, x, bins)
		}
	}
	if how.grouped && !grouped(indices, bins) {
		return fmt.Errorf("%w: %s needs a stream in which each target stands in one stretch",
			machine.ErrStream, v)
	}
	return nil
}

// grouped reports whether each target stands in one stretch of the stream.
func grouped(indices []uint32, bins uint64) bool {
	seen := make([]uint64, bins/64+1)
	for i, x := range indices {
		if i > 0 && indices[i-1] == x {
			continue
		}
		if seen[x>>6]>>(x&63)&1 != 0 {
			return false
		}
		seen[x>>6] |= 1 << (x & 63)
	}
	return true
}
