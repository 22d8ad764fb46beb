package collision

import (
	"fmt"
	"math/bits"
)

// A Sampler measures random samples of whole blocks of streams that lie in
// memory. It reads the blocks that it draws and nothing else, so that its time
// does not depend on the length of a stream, and keeps its room from one
// sample to the next. It is not safe for concurrent use.
type Sampler struct {
	opt    Options
	kernel *kernel
	drawn  map[uint64]struct{}
	blocks []uint64 // numbers of the complete blocks of the sample
	keys   []uint32 // their targets, block after block
	sorted []uint32 // the same, each block sorted, and those of the last block
	last   []uint32 // targets of the last, incomplete block: the caller's
	before []int64  // target before each block and the last one; -1 at the beginning
	pop    population
	groups groupCounts
	kept   []keptBlock // for the estimate of what is hot
}

// NewSampler returns a sampler for warps and blocks of the sizes that the
// options say, and their seed. Bins and Sample are those of each call of
// Measure, and Workers and FirstBlock are not used. The error wraps ErrOptions.
func NewSampler(opt Options) (*Sampler, error) {
	opt.Bins, opt.Workers, opt.FirstBlock, opt.Sample = 0, 1, 0, minSample
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	opt = opt.normal()
	return &Sampler{opt: opt, kernel: newKernel(opt), drawn: map[uint64]struct{}{}}, nil
}

// Reseed makes the next sample that of another seed.
func (p *Sampler) Reseed(seed uint64) { p.opt.Seed = seed }

// Measure estimates the statistics of a stream from so many of its complete
// blocks and the incomplete one at its end, as Sampling says. The blocks are
// drawn without replacement, by numbers that hang on the seed and the length
// of the stream alone; those of a smaller sample are among those of a larger
// one. A stream with no more blocks is measured whole. The indices are only
// read.
//
// Errors wrap ErrEmpty, ErrOptions, or ErrIndex for an index of the sample that
// is not below bins, the number of targets, from 1 to 2^32.
func (p *Sampler) Measure(indices []uint32, bins uint64, blocks int) (Stats, error) {
	p.opt.Bins, p.opt.Sample = bins, blocks
	switch {
	case len(indices) == 0:
		return Stats{}, ErrEmpty
	case bins == 0:
		return Stats{}, fmt.Errorf("%w: 0 bins; a sample cannot tell how many there are", ErrOptions)
	case blocks == 0:
		return Stats{}, fmt.Errorf("%w: a sample of 0 blocks", ErrOptions)
	}
	if err := p.opt.Validate(); err != nil {
		return Stats{}, err
	}
	if err := p.gather(indices); err != nil {
		return Stats{}, err
	}
	p.measure()
	s := p.stats(uint64(len(indices)))
	p.last = nil // the caller's
	return s, nil
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
		if err := p.take(indices, at, at+size); err != nil {
			return err
		}
	}
	p.last = indices[total*size:]
	return p.take(indices, total*size, len(indices))
}

// take checks a block's targets and notes what stands before it.
func (p *Sampler) take(indices []uint32, begin, end int) error {
	before := int64(-1)
	if begin > 0 {
		before = int64(indices[begin-1])
	}
	p.before = append(p.before, before)
	if keys := indices[begin:end]; uint64(highestIndex(keys)) >= p.opt.Bins {
		s := sample{opt: p.opt}
		return s.check(keys, uint64(begin))
	}
	return nil
}

// draw draws the numbers of the sample's blocks out of total, all where there
// are no more, in random order: number i is the first not drawn yet of a
// sequence of pseudorandom numbers.
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
		if _, again := p.drawn[number]; !again {
			p.drawn[number] = struct{}{}
			p.blocks = append(p.blocks, number)
		}
	}
}

// measure sums up each block and sorts its targets.
func (p *Sampler) measure() {
	size, k := p.opt.BlockSize, p.kernel
	p.sorted = append(append(p.sorted[:0], p.keys...), p.last...)
	p.pop.kept = p.pop.kept[:0]
	for at := 0; at < len(p.keys); {
		if pair := k.measurePair(p.sorted[at:len(p.keys)], p.keys[at:]); pair != nil {
			p.pop.kept = append(p.pop.kept, pair[:]...)
			at += len(pair) * size
			continue
		}
		p.pop.kept = append(p.pop.kept, k.measure(p.keys[at:at+size]))
		copy(p.sorted[at:], k.sorted[:size])
		at += size
	}
	for i := range p.pop.kept {
		p.pop.kept[i].changes += p.seam(i, p.pop.kept[i].first)
	}
	p.pop.last = k.measureLast(p.last)
	if len(p.last) > 0 {
		copy(p.sorted[len(p.keys):], k.sorted[:len(p.last)])
		p.pop.last.changes += p.seam(len(p.blocks), p.pop.last.first)
	}
}

// seam is 1 where a block does not begin with the target before it, else 0.
func (p *Sampler) seam(block int, first uint32) uint64 {
	if p.before[block] == int64(first) {
		return 0
	}
	return 1
}

// measurePair returns the sums of the two blocks at the front of keys, and
// leaves each sorted in sorted; nil where the processor or the sizes have no
// fast way.
func (k *kernel) measurePair(sorted, keys []uint32) *[2]sums {
	var warps [2]warpSums
	if !k.vector.sortPair(sorted, keys, k.blockSize, &warps) {
		return nil
	}
	k.vector.mergeRuns(sorted[:2*k.blockSize], k.warpSize, k.blockSize)
	var pair [2]sums
	for i := range pair {
		block := keys[i*k.blockSize : (i+1)*k.blockSize]
		s := k.laneOrder(block)
		s.warp, s.warps, s.blocks = warps[i], uint64(k.blockSize/k.warpSize), 1
		s.blockHighest, s.blockDistinct = k.vector.highestFrequency(sorted[i*k.blockSize : (i+1)*k.blockSize])
		pair[i] = s
	}
	return &pair
}
