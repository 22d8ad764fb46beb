package collision

import (
	"cmp"
	"math"
	"reflect"
	"slices"

	"github.com/atomtune/atomtune/collision/internal/kernel"
)

// estimator estimates the statistics of a stream from some of its blocks. It keeps its memory.
type estimator struct {
	opt    Options
	kernel *kernel.Kernel
	keys   []uint32 // targets of the complete blocks, in random order
	last   []uint32 // targets of the last, incomplete block
	before []int64  // the target before each block and the last one; -1: there is none
	sorted []uint32 // the targets, each block sorted
	pop    population
	groups hashTable[halves] // updates of targets or chunks
	kept   [][]uint32        // the complete blocks
	chosen [2]choice         // by each half, or the first by all blocks
}

// halves are updates in the first half of the kept blocks, in the low bits, and in the other half
// and the last block. Options.Validate keeps each below 2^32.
type halves uint64

func (h *halves) add(half, n int)   { *h += halves(n) << (32 * half) }
func (h halves) of(half int) uint64 { return uint64(uint32(h >> (32 * half))) }
func (h halves) sum() uint64        { return h.of(0) + h.of(1) }

func newEstimator(opt Options) estimator { return estimator{opt: opt, kernel: opt.kernel()} }

func (p *estimator) measure() {
	size, k := p.opt.BlockSize, p.kernel
	p.sorted = slices.Grow(p.sorted[:0], len(p.keys)+len(p.last))
	p.pop.kept = slices.Grow(p.pop.kept[:0], len(p.keys)/size)
	for block := range slices.Chunk(p.keys, size) {
		p.pop.kept = append(p.pop.kept, k.Measure(block))
		p.sorted = append(p.sorted, k.SortedBlock(block)...)
	}
	p.pop.last = k.Measure(p.last)
	p.sorted = append(p.sorted, k.SortedBlock(p.last)...)
	for i, before := range p.before {
		b := &p.pop.last
		if i < len(p.pop.kept) {
			b = &p.pop.kept[i]
		}
		if b.Updates > 0 && before != int64(b.First) && !(p.opt.Padded && b.First == Inactive) {
			b.Totals[kernel.Changes]++
		}
	}
}

// stats estimates the statistics of a stream of so many positions, of which so many are padding;
// -1 stands for an estimate. Stats are zero where there is no update in the sample.
func (p *estimator) stats(positions uint64, ignored int64) Stats {
	p.measure()
	p.pop.blocks = positions / uint64(p.opt.BlockSize)
	if ignored < 0 {
		mean, _ := p.pop.mean(func(b *kernel.Sums) float64 { return float64(b.Totals[kernel.Padding]) }, 1)
		ignored = int64(math.Round(mean))
	}
	s := Stats{
		Updates: positions - uint64(ignored), Ignored: uint64(ignored),
		WarpSize: p.opt.WarpSize, BlockSize: p.opt.BlockSize,
		Sampled: &Sampling{
			Seed: p.opt.Seed, Blocks: uint64(len(p.pop.kept)), TotalBlocks: p.pop.blocks,
			Confidence: confidence,
		},
	}
	if p.pop.updates() == 0 {
		return Stats{}
	}
	p.pop.estimateMeans(&s)
	hottest := p.estimateFrequencies(&s)
	p.kept = slices.AppendSeq(p.kept[:0], slices.Chunk(p.keys, p.opt.BlockSize))
	hot := hotSample{warpSize: p.opt.WarpSize, padded: p.opt.Padded,
		kernel: p.kernel, blocks: p.pop.blocks,
		kept: p.kept, last: p.last, targets: s.Sampled.UniqueLow, hottest: hottest}
	h := &s.Sampled.HalfWidth
	h.HotWarps, h.HotSegments = hot.estimate(&s)
	if !p.opt.WithoutHot {
		p.estimateHot(&s)
	}
	s.Bound()
	return s
}

func (p *population) updates() uint64 {
	n := p.last.Updates - p.last.Totals[kernel.Padding]
	for i := range p.kept {
		n += p.kept[i].Updates - p.kept[i].Totals[kernel.Padding]
	}
	return n
}

func (p *population) estimateMeans(s *Stats) {
	h := &s.Sampled.HalfWidth
	widths := reflect.ValueOf(h).Elem()
	for _, m := range means {
		value, half := p.mean(func(b *kernel.Sums) float64 { return m.total(b, s) }, m.per.number(s))
		*m.of(s) = value
		widths.Field(m.half).SetFloat(half)
	}
	runs, half := p.mean(func(b *kernel.Sums) float64 { return float64(b.Totals[kernel.Changes]) }, 1)
	s.Runs, h.Runs = uint64(math.Round(runs)), half
	for _, b := range append(p.kept[:len(p.kept):len(p.kept)], p.last) {
		s.Sampled.Warps += b.Warps + min(b.LastWarp.Threads, 1)
	}
	s.Sampled.Updates = p.updates()
}

// estimateFrequencies fills in what is known of targets and chunks, and returns the sample's most frequent target.
func (p *estimator) estimateFrequencies(s *Stats) (hottest uint32) {
	h, low := &s.Sampled.HalfWidth, s.Sampled
	s.MaxChunkFrequency4, low.MaxChunkFrequency4Low, h.MaxChunkFrequency4, _ =
		p.estimateHighest(chunkBits4)
	s.MaxChunkFrequency8, low.MaxChunkFrequency8Low, h.MaxChunkFrequency8, _ =
		p.estimateHighest(chunkBits8)
	s.MaxFrequency, low.MaxFrequencyLow, h.MaxFrequency, hottest = p.estimateHighest(0)
	p.estimateUnique(s)
	return hottest
}

func (p *estimator) estimateUnique(s *Stats) {
	last := min(p.pop.last.Updates, 1)
	var seen uint64
	var once, twice float64 // targets that exactly one and exactly two blocks hold
	for g := range p.groups.all {
		seen++
		switch g.seen {
		case 1:
			once++
		case 2:
			twice++
		}
	}
	limit := p.opt.Bins
	s.Bins = limit
	if limit == 0 {
		limit = maxBins
		s.Bins = uint64(p.opt.highest(p.sorted)) + 1
	}
	s.Sampled.UniqueLow = seen
	s.Sampled.UniqueHigh = min(seen+s.Positions()-uint64(len(p.sorted)), limit)
	blocks, total := float64(s.Sampled.Blocks+last), float64(s.Sampled.TotalBlocks+last)
	// No more targets can join those seen than there are updates outside the sample, nor than all blocks hold.
	s.Unique = min(s.Sampled.UniqueHigh, seen+s.Updates-s.Sampled.Updates,
		uint64(math.Round(s.DistinctPerBlock*perBlock.number(s))))
	unseen := chao2Unseen(once, twice, blocks, total)
	if estimate := math.Round(float64(seen) + unseen); estimate < float64(s.Unique) {
		s.Unique = uint64(estimate)
	}
	s.Bins = max(s.Bins, s.Unique) // the sample may not have the highest target
}

// chao2Unseen estimates the targets that none of t blocks out of total holds, from those in exactly one and two.
func chao2Unseen(once, twice, t, total float64) float64 {
	if once == 0 || t >= total {
		return 0
	}
	w, q := 1.0, t/total
	if t > 1 {
		w = t / (t - 1)
	}
	return once * once / (2*w*twice + once*q/(1-q))
}

// estimateHighest estimates the highest frequency of a group of 2^bits targets: the
// group is chosen on one half of the blocks and counted on the other. It returns a
// lower bound, the half-width for the group chosen, and the busiest group of all blocks.
func (p *estimator) estimateHighest(bits uint) (estimate, low uint64, half float64, group uint32) {
	k, size := len(p.pop.kept), p.opt.BlockSize
	p.groups.reset(min(uint64(len(p.sorted)), cmp.Or(p.opt.Bins, maxBins)))
	chosen, low := p.countGroups(p.sorted[:k/2*size], 0, bits, 0, 0)
	group, low = p.countGroups(p.sorted[k/2*size:], 1, bits, chosen, low)
	if uint64(k) >= p.pop.blocks {
		return low, low, 0, group
	}
	kept := make([]float64, 0, k-k/2)
	for block := range slices.Chunk(p.keys[k/2*size:], size) {
		kept = append(kept, p.occurrences(block, chosen, bits))
	}
	total, half := p.pop.total(kept, p.occurrences(p.last, chosen, bits))
	return max(low, uint64(math.Round(total))), low, half, group
}

func (p *estimator) occurrences(keys []uint32, group uint32, bits uint) float64 {
	n := 0
	for _, key := range keys {
		if key>>bits == group && !(p.opt.Padded && key == Inactive) {
			n++
		}
	}
	return float64(n)
}

// countGroups counts the updates of groups of 2^bits targets over sorted blocks of a half. A group
// is seen once in each block that has one. It returns the group with the most updates, the lowest
// of several, where the given one was that before.
func (p *estimator) countGroups(
	sorted []uint32, half int, bits uint, busiest uint32, most uint64,
) (uint32, uint64) {
	for block := range slices.Chunk(sorted, p.opt.BlockSize) {
		block = p.opt.active(block)
		for begin, end := 0, 0; begin < len(block); begin = end {
			group := block[begin] >> bits
			for end = begin + 1; end < len(block) && block[end]>>bits == group; {
				end++
			}
			g := p.groups.find(group)
			g.seen++
			g.value.add(half, end-begin)
			if n := g.value.sum(); n > most || n == most && group < busiest {
				busiest, most = group, n
			}
		}
	}
	return busiest, most
}
