package collision

import (
	"fmt"
	"math/bits"
)

// A Sampler measures random samples of whole blocks of streams that lie in memory. It reads the
// blocks that it draws and nothing else, and keeps its memory. It is not safe for concurrent use.
type Sampler struct {
	estimator
	drawn  map[uint64]struct{}
	blocks []uint64 // numbers of the complete blocks of the sample
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
	p.opt.Bins, p.opt.Sample = bins, blocks
	switch {
	case len(indices) == 0:
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
	defer func() { p.last = nil }() // the caller's
	if err := p.gather(indices); err != nil {
		return Stats{}, err
	}
	return p.stats(uint64(len(indices))), nil
}

// gather copies the sample's blocks side by side.
func (p *Sampler) gather(indices []uint32) error {
	size := p.opt.BlockSize
	total := len(indices) / size
	p.draw(uint64(total))
	p.keys, p.before = p.keys[:0], p.before[:0]
	for _, number := range p.blocks {
		at := int(number) * size
		p.keys = append(p.keys, indices[at:at+size]...)
		if err := p.check(indices, at, at+size); err != nil {
			return err
		}
	}
	p.last = indices[total*size:]
	return p.check(indices, total*size, len(indices))
}

// check checks a block's targets and notes what stands before it.
func (p *Sampler) check(indices []uint32, begin, end int) error {
	before := int64(-1)
	if begin > 0 {
		before = int64(indices[begin-1])
	}
	p.before = append(p.before, before)
	if uint64(highestIndex(indices[begin:end])) < p.opt.Bins {
		return nil
	}
	return p.opt.check(indices[begin:end], uint64(begin))
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
