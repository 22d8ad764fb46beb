package explorer

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
)

// Stream describes a synthetic stream: runs of equal targets, each run's target drawn by frequency.
// With runs of 1 it is synth's zipf with scattered ranks, and without skew synth's runs.
type Stream struct {
	Updates uint64  `json:"updates"` // a power of two
	Targets uint64  `json:"targets"`
	Skew    float64 `json:"skew"` // rank i has probability proportional to i^-Skew
	Run     float64 `json:"run"`  // mean length of a run, of geometric lengths
}

// The largest streams that can be asked for, as powers of two, and the other bounds.
const (
	leastUpdatesLog, mostUpdatesLog = 10, 28
	mostTargetsLog                  = 24
	mostSkew                        = 2
	mostRunLog                      = 8
)

// Check returns an error that wraps ErrQuestion for a stream that cannot be asked for.
func (s Stream) Check() error {
	switch {
	case !power(s.Updates, leastUpdatesLog, mostUpdatesLog):
		return fmt.Errorf("%w: %d updates, want a power of two from 2^%d to 2^%d", ErrQuestion,
			s.Updates, leastUpdatesLog, mostUpdatesLog)
	case s.Targets < 1 || s.Targets > 1<<mostTargetsLog:
		return fmt.Errorf("%w: %d targets, want 1 to 2^%d", ErrQuestion, s.Targets, mostTargetsLog)
	case !(s.Skew >= 0 && s.Skew <= mostSkew):
		return fmt.Errorf("%w: skew %v, want 0 to %d", ErrQuestion, s.Skew, mostSkew)
	case !(s.Run >= 1 && s.Run <= 1<<mostRunLog):
		return fmt.Errorf("%w: runs of %v updates, want 1 to %d", ErrQuestion, s.Run, 1<<mostRunLog)
	}
	return nil
}

// power reports whether n is a power of two within bounds.
func power(n uint64, least, most int) bool {
	return n >= 1<<least && n <= 1<<most && n&(n-1) == 0
}

// Spec names the stream as atomtune reads it; "" where it has both skew and runs, which no family
// of synth has.
func (s Stream) Spec() string {
	spec := synth.Spec{Family: "zipf", N: int(s.Updates), K: uint32(s.Targets), Seed: seed,
		Params: map[string]float64{"s": s.Skew, "shuffle": 1}}
	switch {
	case s.Run > 1 && s.Skew > 0:
		return ""
	case s.Run > 1:
		spec.Family, spec.Params = "runs", map[string]float64{"len": s.Run}
	}
	return spec.String()
}

// The sample from which statistics are made: complete blocks of the stream.
const (
	blockSize = 256
	sampled   = 32 // blocks
	sampleLen = sampled * blockSize
	frequent  = 4096 // ranks
	seed      = 1
)

// sample is a part of a stream.
type sample struct {
	law  law
	keys []uint32 // the target before the sample, and those of the sample
}

// frequent returns the targets of the first ranks, in their order: those of the stream that Spec
// names, since synth's zipf scatters its ranks as its permuted does.
func (s Stream) frequent() ([]uint32, error) {
	return synth.Generate(synth.Spec{Family: "permuted", N: int(min(frequent, s.Targets)),
		K: uint32(s.Targets), Seed: seed})
}

// draw draws a sample of the stream, whose first ranks have these targets.
func (s Stream) draw(frequent []uint32) (sample, error) {
	l, r := s.law(), synth.NewRand(seed)
	by := l.guide()
	keys := make([]uint32, 0, sampleLen+1)
	for len(keys) <= sampleLen {
		rank := l.draw(r, &by)
		target := s.scatter(rank)
		if rank < uint64(len(frequent)) {
			target = frequent[rank]
		}
		keys = append(keys, target)
		for s.Run > 1 && len(keys) <= sampleLen && r.Float64() >= 1/s.Run {
			keys = append(keys, target)
		}
	}
	return sample{l, keys}, nil
}

// scatter is the target of a rank that is not frequent: a bijection of numbers below a power of two,
// since products with odd numbers and shifted copies, which leave the upper bits alone, can be taken
// back; repeated until there is such a target. That some of them are also targets of frequent ranks
// matters to no statistic.
func (s Stream) scatter(rank uint64) uint32 {
	log := bits.Len64(s.Targets - 1)
	mask, half := uint64(1)<<log-1, uint(log+1)/2+1
	for again := true; again; again = rank >= s.Targets {
		for _, odd := range [...]uint64{0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB} {
			rank = (rank + 1) * odd & mask
			rank ^= rank >> half
		}
	}
	return uint32(rank)
}

// excerpt is a long stream of which every block that is read is the next one of a sample. The
// blocks of a stream whose law does not change along it are alike, so that it matters to no
// statistic which ones these are.
type excerpt struct {
	updates int
	keys    []uint32 // the target before the sample, and the sample
	place   map[int]int
}

// Len returns the number of updates.
func (e *excerpt) Len() int { return e.updates }

// Read copies a block, or the target before one.
func (e *excerpt) Read(into []uint32, at int) error {
	before := 1 - at%blockSize/(blockSize-1) // 0 for the last target of the block before
	block := (at + 1 - before) / blockSize
	if _, known := e.place[block]; !known {
		e.place[block] = len(e.place) % sampled
	}
	copy(into, e.keys[e.place[block]*blockSize+before:])
	return nil
}

// Stats estimates the statistics of a stream in warps of so many lanes: those of warps and blocks
// from a sample, those of the whole stream from the probabilities of its targets. Errors wrap
// ErrQuestion.
func (x *Explorer) Stats(s Stream, lanes int) (collision.Stats, error) {
	if err := s.Check(); err != nil {
		return collision.Stats{}, err
	}
	return x.stats.of(measured{s, lanes}, func() (collision.Stats, error) {
		return x.measure(s, lanes)
	})
}

func (x *Explorer) measure(s Stream, lanes int) (collision.Stats, error) {
	endless := s
	endless.Updates = 0
	drawn, err := x.drawn.of(endless, func() (sample, error) {
		first, err := x.frequent.of(s.Targets, s.frequent)
		if err != nil {
			return sample{}, err
		}
		return s.draw(first)
	})
	if err != nil {
		return collision.Stats{}, err
	}
	sampler, err := x.sampler(lanes)
	if err != nil {
		return collision.Stats{}, err
	}
	part := &excerpt{int(s.Updates), drawn.keys, map[int]int{}}
	stats, err := sampler.MeasureStream(part, s.Targets, sampled)
	if err == nil && stats.Sampled.Blocks < stats.Sampled.TotalBlocks {
		s.whole(drawn.law, &stats)
	}
	return stats, err
}

// sampler returns the sampler for warps of so many lanes.
func (x *Explorer) sampler(lanes int) (*collision.Sampler, error) {
	if s, ok := x.samplers[lanes]; ok {
		return s, nil
	}
	s, err := collision.NewSampler(collision.Options{WarpSize: lanes, BlockSize: blockSize,
		Seed: seed})
	if x.samplers == nil {
		x.samplers = map[int]*collision.Sampler{}
	}
	x.samplers[lanes] = s
	return s, err
}

// whole replaces what a sample says of the whole stream by its expectation.
func (s Stream) whole(l law, stats *collision.Stats) {
	unique, most := l.totals(s)
	stats.Unique = min(max(uint64(math.Round(unique)), stats.Sampled.UniqueLow), s.Targets, s.Updates)
	stats.MaxFrequency = max(uint64(math.Round(most)), stats.Sampled.MaxFrequencyLow, stats.Misses[0].MaxFrequency)
	stats.MaxChunkFrequency8 = uint64(math.Round(l.chunk(s, 256/8, most)))
	stats.MaxChunkFrequency4 = uint64(math.Round(l.chunk(s, 256/4, most)))
	stats.Bound()
	stats.HotWarps, stats.HotSegments = s.hottest(float64(stats.MaxFrequency), stats.WarpSize)
	stats.Bound()
}

// hottest returns the share of warps that hold the most frequent target, and the mean number of its
// segments in a warp. With its share p of the updates, warps of W lanes and runs of mean length L,
// where a lane begins a run with probability 1/L:
//
//	warps      1 - (1 - p)·(1 - p/L)^(W-1)
//	segments   p + (W-1)·p·(1 - p)/L
func (s Stream) hottest(most float64, lanes int) (warps, segments float64) {
	p, further := most/float64(s.Updates), float64(lanes-1)
	warps = 1 - (1-p)*math.Pow(1-p/s.Run, further)
	return warps, max(warps, p+further*p*(1-p)/s.Run)
}
