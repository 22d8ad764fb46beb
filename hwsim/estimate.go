package hwsim

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// sampling is how many iterations of a grid, over the stream in its stride, Estimate
// simulates: up to whole every one, of more a sample of that many and one of half as many.
type sampling struct {
	whole, long int
	// thin samples take single blocks of the stream, drawn by a hash, in place of whole iterations.
	thin bool
	// level samples do not grow where what a call costs once hides what an update costs.
	level bool
}

// Samplings of kernels with many instructions an iteration, and with few. Of the latter the warps
// run ahead of their atomics, so that those of distant iterations collide on the slices, and the
// turns of a sorted or re-laid stream differ.
var (
	manyInstructions = sampling{whole: 6, long: 4}
	fewInstructions  = sampling{whole: 16, long: 4, thin: true}
)

func (cfg Config) sampling() sampling {
	if how := kernel.ImplementationOf(cfg.Implementation); how.Direct && !how.Long {
		return fewInstructions
	}
	return manyInstructions
}

// leastSample is the number of updates that the longer sample has at least. On a device with
// few resident threads a few iterations say little: warps that begin together collide more often.
const leastSample = 3 << 16

// atLeast returns a sampling of as many more iterations as make that number, on a device
// whose resident threads do not.
func (s sampling) atLeast(resident, iteration int) sampling {
	if s.long*resident >= leastSample {
		return s
	}
	s.long = max(s.long, (leastSample+2*iteration-1)/(2*iteration)*2)
	s.whole = max(s.whole, s.long*3/2)
	return s
}

// resident is the number of threads that the device holds at once.
func (cfg Config) resident() int {
	c := &cfg.Device.Core
	return int(c.SMs.Value * c.MaxWarps.Value * c.WarpLanes.Value)
}

// Estimate returns the simulated time of one call in microseconds. Of a short stream it is
// that of Run. Of a longer one it simulates two samples, the second of half the length of the
// first, against memory that holds the whole stream; beyond the longer sample, of m updates,
// the time is taken to grow as between them:
//
//	t(n) = t(m) + (n - m)·(t(m) - t(m/2))/(m/2)
//
// Samples grow until t(m) - t(m/2) is a quarter of t(m) at least: what a call costs once would hide
// what an update costs. Where they would be longer than the stream, it is simulated.
//
// The kernels that loop over the stream are launched with the grid of the whole stream, and a
// sample is made of whole iterations of that grid, or of as many updates in single blocks, so that as much
// is in flight at once. Sorting and segmented reduction have no such iterations: of a long stream they are
// simulated on a part of the device with as large a part of the stream. A partition is simulated as
// a whole, and so are private copies of ranges of the targets, whose blocks are busy while the
// stream is in their range. Hot targets are those of the whole stream, or found in a sample of it.
// Errors are those of Run.
func Estimate(cfg Config, indices []uint32, bins uint64) (us float64, err error) {
	switch {
	case cfg.Call.Wide():
		return cfg.estimateRows(indices, bins)
	case cfg.coordinated():
		return cfg.estimateCoordinated(indices, bins)
	}
	if err := cfg.check(indices, bins); err != nil {
		return 0, err
	}
	how, stream, part := kernel.ImplementationOf(cfg.Implementation), indices, cfg
	parts := cfg.parts(len(indices))
	if parts > 1 {
		part = cfg.partOf(parts)
		stream = pieces(indices, stretches, len(indices)/parts/stretches, 1)
	}
	part.stream = indices
	if how.Tiled || parts == 1 && (how.Whole || cfg.Implementation.G() > 1) {
		return part.whole(stream, bins)
	}
	iteration := part.iteration(uint64(len(indices)), bins)
	some := part.sampling().atLeast(cfg.resident(), iteration)
	if len(stream) <= some.whole*iteration {
		return part.whole(stream, bins)
	}
	if order := kernel.OrderOf(cfg.Device, cfg.Implementation, indices, bins); order != nil {
		stream = kernel.Permute(indices, order)
		part.stream = stream
	}
	us, err = some.extrapolate(len(stream), some.of(stream, iteration, func(sample []uint32) (float64, error) {
		return part.sample(sample, bins)
	}))
	return cfg.hostTime(len(indices)) + us, err
}

// whole returns the time of a stream, which on a part of a device is a sample.
func (cfg Config) whole(indices []uint32, bins uint64) (us float64, err error) {
	if cfg.of != nil {
		return cfg.sample(indices, bins)
	}
	r, err := Run(cfg, indices, bins)
	if err == nil && !r.Correct {
		err = cfg.wrong()
	}
	return r.US, err
}

func (cfg Config) wrong() error {
	return fmt.Errorf("%w: %s: wrong final array", ErrSimulation, cfg.Implementation)
}

// extrapolate returns the time of n updates, of more than whole iterations, from those of samples of so many
// iterations, which simulate returns with their updates.
func (some sampling) extrapolate(n int, simulate func(iterations int) (us float64, updates int, err error)) (float64,
	error) {
	half, halfUpdates := 0.0, 0
	for iterations := some.long / 2; ; iterations *= 2 {
		us, updates, err := simulate(iterations)
		if err != nil {
			return 0, err
		}
		if updates == n || iterations >= some.long && (some.level || us-half >= us/4) {
			slope := max(0, us-half) / float64(updates-halfUpdates)
			return us + slope*float64(n-updates), nil
		}
		half, halfUpdates = us, updates
	}
}

// of returns what simulates a sample of a stream.
func (some sampling) of(indices []uint32, iteration int,
	simulate func(sample []uint32) (float64, error)) func(int) (float64, int, error) {
	return func(iterations int) (float64, int, error) {
		sample := indices
		if iterations*iteration < len(indices) {
			sample = pieces(indices, iterations, iteration, iteration)
			if some.thin {
				sample = thinned(indices, iteration*iterations)
			}
		}
		us, err := simulate(sample)
		return us, len(sample), err
	}
}

// thinned returns about n updates of a longer stream, as many as a block takes at once together, drawn by
// a hash.
func thinned(indices []uint32, n int) []uint32 {
	const block = 256
	out := make([]uint32, 0, n+n/8)
	share := uint64(float64(n) / float64(len(indices)) * (1 << 32))
	for at := 0; at+block <= len(indices); at += block {
		if splitmix.Mix(uint64(at))>>32 < share {
			out = append(out, indices[at:at+block]...)
		}
	}
	return out
}

// pieces returns so many pieces of a stream, each of a length and where a hash puts it in its part of
// the stream; they begin at multiples of align. At equal distances their addresses would fall together.
func pieces(indices []uint32, count, length, align int) []uint32 {
	out := make([]uint32, 0, count*length)
	places, taken := len(indices)/align, length/align
	for i := range count {
		first, end := places*i/count, places*(i+1)/count
		first += int(splitmix.Mix(uint64(i)) % uint64(max(1, end-taken-first+1)))
		out = append(out, indices[first*align:first*align+length]...)
	}
	return out
}

// iteration returns the number of updates of which samples are made: those that the grid of a stream of n
// updates takes at once, in all iterations whose loads it unites.
func (cfg Config) iteration(n, bins uint64) int {
	shape := cfg.Device.Limits().Shape(cfg.Implementation, cfg.Call, bins, n, cfg.Launch)
	return int(shape.Blocks) * shape.Threads * shape.Unroll
}

// sample returns the time of a sample of a stream that is laid out already. The targets are cleared by the whole
// device.
func (cfg Config) sample(indices []uint32, bins uint64) (us float64, err error) {
	s := cfg.session(indices, bins)
	s.Grid, s.Whole = uint64(len(cfg.stream)), cfg.stream
	s.Machine.SlowSlices(int64(max(1, cfg.slow)))
	s.SetValues(nil)
	if err := s.Run(); err != nil {
		return 0, err
	}
	if !arith.Correct(cfg.Call, cfg.Seed, indices, bins, s.Output(kernel.BufTarget)) {
		return 0, cfg.wrong()
	}
	if cfg.of != nil && !cfg.Call.Keeps {
		all := cfg
		all.Device = cfg.of
		clearing := all.session(nil, bins)
		clearing.Machine.Stream = s.Machine.Stream
		if err := clearing.Clear(kernel.BufTarget); err != nil {
			return 0, err
		}
		s.Times[0] = clearing.Times[0]
	}
	return s.Elapsed(), nil
}

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
// to which they add their copies in the end. The blocks of a range read the whole stream together,
// and a part of the device does not hold as many of each range.
func (cfg Config) parts(n int) int {
	sms := int(cfg.Device.Core.SMs.Value)
	for blocks := int(cfg.Launch.Blocks); blocks > 0; { // a fixed grid is divided as well
		sms, blocks = blocks, sms%blocks
	}
	switch how := kernel.ImplementationOf(cfg.Implementation); {
	case how.Tiled:
		return divisor(sms, n/leastPart)
	case how.Private && cfg.Coarse && cfg.Implementation.G() == 1:
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

// partOf is a call on one of so many parts of the device. Of blocks with private copies, an atomic update of the
// targets takes its slice so many times as long, since as many blocks on the other parts send theirs.
func (cfg Config) partOf(parts int) Config {
	part := cfg
	part.Device, part.of = partOf(cfg.Device, parts), cfg.Device
	part.Launch.Blocks /= uint64(parts)
	if kernel.ImplementationOf(cfg.Implementation).Private {
		part.slow = parts
	}
	return part
}
