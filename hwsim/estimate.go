package hwsim

import (
	"fmt"
	"math/bits"

	"github.com/atomtune/atomtune/device"
)

// stretches is the number of pieces of which Estimate makes a sample: few, so
// that what is in flight at once is in the sample what it is in the stream.
const stretches = 8

// EstimateLimit returns the number of updates up to which Estimate simulates
// every update: one to two full loads of the device, but at least 2^17 and at
// most 2^19.
func EstimateLimit(d *device.Profile) int {
	resident := uint(d.Core.SMs.Value * d.Core.MaxWarps.Value * d.Core.WarpLanes.Value)
	return min(max(1<<17, 1<<bits.Len(resident)), 1<<19)
}

// Estimate returns the simulated time of one call in microseconds. Up to
// EstimateLimit updates it is that of Run. Of a longer stream it simulates two
// samples, of m = EstimateLimit updates and of half of them, made of eight
// stretches at equal distances, against memory that holds the whole stream; beyond the longer sample the time is taken to grow as between them:
//
//	t(n) = t(m) + (n - m)·(t(m) - t(m/2))/(m/2)
//
// Launches, the clearing of the targets and the flush of private copies do not
// grow with the stream and cancel. Errors are those of Run.
func Estimate(cfg Config, indices []uint32, bins uint64) (us float64, err error) {
	if err := check(cfg, indices, bins); err != nil {
		return 0, err
	}
	limit := EstimateLimit(cfg.Device)
	if len(indices) <= limit {
		r, err := Run(cfg, indices, bins)
		if err == nil && !r.Correct {
			err = fmt.Errorf("%w: %s: wrong final array", ErrSimulation, cfg.Variant)
		}
		return r.US, err
	}
	host := cfg.hostTime(len(indices))
	if order := cfg.order(indices, bins); order != nil {
		indices = permute(indices, order)
	}
	long, err := sampledTime(cfg, sample(indices, limit), bins, len(indices))
	if err != nil {
		return 0, err
	}
	short, err := sampledTime(cfg, sample(indices, limit/2), bins, len(indices))
	if err != nil {
		return 0, err
	}
	slope := max(0, long-short) / float64(limit-limit/2)
	return host + long + slope*float64(len(indices)-limit), nil
}

// sample returns n updates in stretches at equal distances.
func sample(indices []uint32, n int) []uint32 {
	out := make([]uint32, 0, n)
	length := n / stretches
	for c := range stretches {
		at := (len(indices) - length) * c / (stretches - 1) &^ 2047
		out = append(out, indices[at:at+length]...)
	}
	return out
}

// sampledTime simulates a sample of a stream of n updates that is laid out
// already, without the host's share.
func sampledTime(cfg Config, indices []uint32, bins uint64, n int) (float64, error) {
	s := newSession(cfg, indices, bins)
	s.setValues(nil)
	s.unseen = uint64(n-len(indices)) * uint64(cfg.Call.StreamBytes())
	if err := s.call(); err != nil {
		return 0, err
	}
	return s.elapsed(), nil
}
