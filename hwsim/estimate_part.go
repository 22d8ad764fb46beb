package hwsim

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
)

// One part of a device has leastPart updates of the stream at least or, in a coarse estimate,
// leastShare and leastSMs multiprocessors. Stretches are the pieces at equal distances of
// which its share is made.
const (
	leastPart  = 1 << 19
	leastShare = 1 << 15
	leastSMs   = 11
	stretches  = 8
)

// parts returns of how many parts of the device, with as large parts of the stream, one is
// simulated; 1 where it is the whole device. Blocks that take a tile of the stream each touch
// little together, and those with private copies share no more than bandwidth and the targets
// to which they add their copies in the end.
func (cfg Config) parts(n int) int {
	sms := int(cfg.Device.Core.SMs.Value)
	for blocks := int(cfg.Launch.Blocks); blocks > 0; { // a fixed grid is divided as well
		sms, blocks = blocks, sms%blocks
	}
	switch how := kernel.ImplementationOf(cfg.Variant); {
	case how.Tiled:
		return divisor(sms, n/leastPart)
	case how.Private && cfg.Coarse:
		return divisor(sms, min(sms/leastSMs, n/leastShare))
	}
	return 1
}

// divisor returns the largest divisor of n that is at most limit, 1 at least.
func divisor(n, limit int) int {
	for d := min(n, limit); d > 1; d-- {
		if n%d == 0 {
			return d
		}
	}
	return 1
}

// partOf returns a device with one of so many parts of the SMs and bandwidths.
func partOf(d *device.Profile, parts int) *device.Profile {
	p := *d
	p.Core.SMs.Value /= float64(parts)
	p.Memory.DRAMRate.Value /= float64(parts)
	p.Memory.L2Rate.Value /= float64(parts)
	p.Memory.AtomicRate.Value /= float64(parts)
	return &p
}

// estimatePart is Estimate on one of so many parts of the device. The targets are cleared by
// the whole device. Of blocks with private copies, an atomic update of the targets takes its
// slice so many times as long, since as many blocks on the other parts send theirs.
func (cfg Config) estimatePart(parts int, indices []uint32, bins uint64) (float64, error) {
	part := cfg
	part.Device = partOf(cfg.Device, parts)
	part.Launch.Blocks /= uint64(parts)
	how := kernel.ImplementationOf(cfg.Variant)
	if how.Private {
		part.slow = parts
	}
	share := pieces(indices, stretches, len(indices)/parts/stretches, 1)
	simulate := func(sample []uint32) (float64, error) {
		s, err := part.sample(sample, bins, len(indices))
		if err != nil {
			return 0, err
		}
		if cfg.Call.Keeps {
			return s.Elapsed(), nil
		}
		whole := cfg.session(nil, bins)
		whole.Machine.Stream = s.Machine.Stream
		if err := whole.Clear(kernel.BufTarget); err != nil {
			return 0, err
		}
		s.Times[0] = whole.Times[0]
		return s.Elapsed(), nil
	}
	if how.Tiled {
		return simulate(share)
	}
	turn := part.turn(uint64(len(indices)), bins)
	some := part.sampling().atLeast(cfg.resident(), turn)
	if len(share) <= some.whole*turn {
		return simulate(share)
	}
	return part.extrapolate(some, share, turn, simulate)
}
