package hwsim

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// The bounds of package hwsim.
const (
	maxUpdates = 1 << 28
	maxBins    = 1 << 26
)

// check reports a call that the device cannot make, or that is none.
func check(d *device.Profile, call device.Call, v variant.Variant, indices []uint32, bins uint64) error {
	if d == nil {
		return fmt.Errorf("%w: no device", errStream)
	}
	if err := v.Validate(); err != nil {
		return fmt.Errorf("%w: %v", errStream, err)
	}
	if err := d.CanCall(v, call, bins); err != nil {
		return err
	}
	how, known := implementationOf(v)
	switch {
	case !known:
		return fmt.Errorf("%w: %s is no kernel program: package coordinator simulates it", device.ErrCannot, v)
	case len(indices) == 0:
		return fmt.Errorf("%w: no updates", errStream)
	case len(indices) > maxUpdates:
		return fmt.Errorf("%w: %d updates, at most %d", errStream, len(indices), maxUpdates)
	case bins > maxBins:
		return fmt.Errorf("%w: %d targets, at most %d", errStream, bins, maxBins)
	case call.Validate() != nil:
		return call.Validate()
	case call.Returns && !v.ReturnsOld():
		return fmt.Errorf("%w: %s does not return the old values", device.ErrCannot, v)
	}
	for i, x := range indices {
		if uint64(x) >= bins {
			return fmt.Errorf("%w: update %d: index %d is not below %d targets", errStream, i, x, bins)
		}
	}
	if how.grouped && !grouped(indices, bins) {
		return fmt.Errorf("%w: %s needs a stream in which each target stands in one stretch", errStream, v)
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
