package hwsim

import "github.com/atomtune/atomtune/hwsim/internal/kernel"

// A part of the device in a coarse estimate has leastSMs at least, and as large a
// part of the stream has leastShare updates.
const (
	leastSMs   = 11
	leastShare = 1 << 15
)

// coarseParts returns of how many parts a coarse estimate simulates one; 1 where it
// simulates the whole device. Blocks with private copies share no more than
// bandwidth and the targets to which they add their copies in the end.
func (cfg Config) coarseParts(n int) int {
	if how, _ := kernel.ImplementationOf(cfg.Variant); !cfg.Coarse || !how.Private {
		return 1
	}
	sms := int(cfg.Device.Core.SMs.Value)
	return divisor(sms, min(sms/leastSMs, n/leastShare))
}

// estimateCoarse is Estimate on one of so many parts of the device, with as large a
// part of the stream and of the bandwidths. An atomic update of the targets takes
// its slice so many times as long, since as many blocks on the other parts send theirs.
// The targets are cleared by the whole device.
func estimateCoarse(cfg Config, parts int, indices []uint32, bins uint64) (float64, error) {
	part := cfg
	part.Device, part.parts = partOf(cfg.Device, parts), parts
	share := stretched(indices, len(indices)/parts)
	simulate := func(sample []uint32) (float64, error) {
		return cfg.clearedWhole(part, sample, bins, len(indices))
	}
	turn := part.turn(uint64(len(indices)), bins)
	some := part.sampling().atLeast(cfg.resident(), turn)
	if len(share) <= some.whole*turn {
		return simulate(share)
	}
	return some.extrapolate(share, turn, int(cfg.Device.Core.WarpLanes.Value), simulate)
}
