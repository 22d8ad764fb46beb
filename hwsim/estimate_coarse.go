package hwsim

import "github.com/atomtune/atomtune/variant"

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
	if !cfg.Coarse || cfg.Variant.Base != variant.Private {
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
	whole := newSession(cfg, nil, bins)
	simulate := func(sample []uint32) (float64, error) {
		s, err := simulated(part, sample, bins, len(indices))
		if err != nil {
			return 0, err
		}
		whole.m.stream, whole.times = s.m.stream, nil
		if err := whole.clear(bufTarget); err != nil {
			return 0, err
		}
		s.times[0] = whole.times[0]
		return s.elapsed(), nil
	}
	turn := part.turn(uint64(len(indices)), bins)
	some := part.sampling().atLeast(cfg.resident(), turn)
	if len(share) <= some.whole*turn {
		return simulate(share)
	}
	return some.extrapolate(share, turn, int(cfg.Device.Core.WarpLanes.Value), simulate)
}

// slowSlices makes atomic updates take their slices so many times as long.
func (m *machine) slowSlices(parts int64) {
	for _, how := range []*atomicTiming{&m.global, &m.counter} {
		how.pass, how.same, how.word, how.sector = how.pass*parts, how.same*parts, how.word*parts, how.sector*parts
	}
}
