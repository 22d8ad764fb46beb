package collision

import (
	"fmt"
	"math/bits"
	"slices"
)

// A Stream is an index stream of which a Sampler reads a part.
type Stream interface {
	Len() int // updates
	// Read copies the targets of the updates from number at on, so many as there is room for, none
	// beyond the end. An index that is not a number of 32 bits is an error that wraps ErrIndex.
	Read(into []uint32, at int) error
}

// Indices are a stream in memory.
type Indices []uint32

// Len returns the number of updates.
func (s Indices) Len() int { return len(s) }

// Read copies targets.
func (s Indices) Read(into []uint32, at int) error {
	copy(into, s[at:])
	return nil
}

// A Sampler measures random samples of whole blocks of streams that lie in memory. It reads the
// blocks that it draws and nothing else, and keeps its memory. It is not safe for concurrent use.
type Sampler struct {
	estimator
	drawn  map[uint64]struct{}
	blocks []uint64 // numbers of the complete blocks of the sample
	target [1]uint32
}

// NewSampler returns a sampler for warps and blocks of the sizes that the
// options say, and their seed. Bins and Sample are those of each call of
// Measure, and Workers is not used. The error wraps ErrOptions.
func NewSampler(opt Options) (*Sampler, error) {
	opt.Bins, opt.Workers, opt.Sample = 0, 1, minSample
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	return &Sampler{estimator: newEstimator(opt.normal()), drawn: map[uint64]struct{}{}}, nil
}

// Reseed makes the next sample that of another seed.
func (p *Sampler) Reseed(seed uint64) { p.opt.Seed = seed }

// Measure estimates the statistics of a stream from so many of its complete blocks and the
// incomplete one at its end, as Sampling says. The blocks of a smaller sample with the same seed
// are among those of a larger one. A stream with no more blocks is measured whole.
//
// Errors wrap ErrEmpty, ErrOptions, or ErrIndex for an index of the sample that is not below
// bins, the number of targets, from 1 to 2^32.
func (p *Sampler) Measure(indices []uint32, bins uint64, blocks int) (Stats, error) {
	return p.MeasureStream(Indices(indices), bins, blocks)
}

// MeasureStream is Measure for a stream that is not in memory as it is, and returns errors of
// Stream.Read too.
func (p *Sampler) MeasureStream(s Stream, bins uint64, blocks int) (Stats, error) {
	p.opt.Bins, p.opt.Sample = bins, blocks
	switch {
	case s.Len() == 0:
		return Stats{}, ErrEmpty
	case bins == 0:
		return Stats{}, fmt.Errorf("%w: 0 bins; a sample cannot tell how many there are",
			ErrOptions)
	case blocks == 0:
		return Stats{}, fmt.Errorf("%w: a sample of 0 blocks", ErrOptions)
	}
	if err := p.opt.Validate(); err != nil {
		return Stats{}, err
	}
	if err := p.gather(s); err != nil {
		return Stats{}, err
	}
	ignored := int64(0)
	if p.opt.Padded {
		ignored = -1
	}
	return notEmpty(p.stats(uint64(s.Len()), ignored))
}

func (p *Sampler) gather(s Stream) error {
	size := p.opt.BlockSize
	total := s.Len() / size
	p.draw(uint64(total))
	p.keys, p.before = slices.Grow(p.keys[:0], (len(p.blocks)+1)*size), p.before[:0]
	for _, number := range p.blocks {
		if err := p.read(s, int(number)*size, size); err != nil {
			return err
		}
	}
	complete := len(p.keys)
	if err := p.read(s, total*size, s.Len()-total*size); err != nil {
		return err
	}
	p.keys, p.last = p.keys[:complete], p.keys[complete:]
	return nil
}

func (p *Sampler) read(s Stream, at, size int) error {
	before := int64(-1)
	if at > 0 {
		if err := s.Read(p.target[:], at-1); err != nil {
			return err
		}
		before = int64(p.target[0])
	}
	p.before = append(p.before, before)
	from := len(p.keys)
	p.keys = p.keys[:from+size]
	block := p.keys[from:]
	if err := s.Read(block, at); err != nil {
		return err
	}
	if uint64(p.opt.highest(block)) < p.opt.Bins {
		return nil
	}
	return p.opt.check(block, uint64(at))
}

// draw draws the numbers of the sample's blocks out of total, all where there are no more, in
// random order: number i is the first not drawn yet of a sequence of pseudorandom numbers.
func (p *Sampler) draw(total uint64) {
	p.blocks = p.blocks[:0]
	if total <= uint64(p.opt.Sample) {
		for i := range total {
			p.blocks = append(p.blocks, i)
		}
		return
	}
	clear(p.drawn)
	for i := uint64(0); len(p.blocks) < p.opt.Sample; i++ {
		number, _ := bits.Mul64(priority(p.opt.Seed, i), total)
		if _, drawn := p.drawn[number]; !drawn {
			p.drawn[number] = struct{}{}
			p.blocks = append(p.blocks, number)
		}
	}
}
