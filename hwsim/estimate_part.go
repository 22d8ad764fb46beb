package hwsim

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
)

// leastPart is the length of a part of a stream down to which estimateTiles goes;
// stretches are the pieces at equal distances of which it makes one.
const (
	leastPart = 1 << 19
	stretches = 8
)

// estimateTiles is Estimate for kernels whose blocks take a tile of the stream
// each: a part of the SMs, with as large a part of the bandwidth of L2 and of
// memory, runs as large a part of the stream. The targets are cleared by the whole
// device.
func estimateTiles(cfg Config, indices []uint32, bins uint64) (us float64, err error) {
	parts := divisor(int(cfg.Device.Core.SMs.Value), len(indices)/leastPart)
	if parts == 1 {
		return cfg.whole(indices, bins)
	}
	part := cfg
	part.Device = partOf(cfg.Device, parts)
	return cfg.clearedWhole(part, stretched(indices, parts), bins, len(indices))
}

// clearedWhole returns the time of a sample on a part of the device, of a stream of
// n updates. The targets are cleared by the whole device.
func (cfg Config) clearedWhole(part Config, sample []uint32, bins uint64, n int) (float64, error) {
	s, err := part.sample(sample, bins, n)
	if err != nil {
		return 0, err
	}
	whole := cfg.session(nil, bins)
	whole.Machine.Stream = s.Machine.Stream
	if err := whole.Clear(kernel.BufTarget); err != nil {
		return 0, err
	}
	s.Times[0] = whole.Times[0]
	return s.Elapsed(), nil
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

// stretched returns one of so many parts of a stream, in stretches at equal distances.
func stretched(indices []uint32, parts int) []uint32 {
	return pieces(indices, stretches, len(indices)/parts/stretches, 1)
}

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
	share := stretched(indices, parts)
	simulate := func(sample []uint32) (float64, error) {
		return cfg.clearedWhole(part, sample, bins, len(indices))
	}
	turn := part.turn(uint64(len(indices)), bins)
	some := part.sampling().atLeast(cfg.resident(), turn)
	if len(share) <= some.whole*turn {
		return simulate(share)
	}
	return part.extrapolate(some, share, turn, simulate)
}
