package collision

import "math"

// stats estimates the statistics of the stream, as sampledStats does.
func (p *Sampler) stats(updates uint64) Stats {
	n := updates / uint64(p.opt.BlockSize)
	p.pop.blocks = n
	s := Stats{
		Updates: updates, WarpSize: p.opt.WarpSize, BlockSize: p.opt.BlockSize,
		Sampled: &Sampling{Seed: p.opt.Seed, Blocks: uint64(len(p.blocks)), TotalBlocks: n, Confidence: confidence},
	}
	p.pop.estimateMeans(&s)
	h, low := &s.Sampled.HalfWidth, s.Sampled
	inHalf, inAll := p.countTargets()
	p.estimateUnique(&s, n)
	s.MaxFrequency, low.MaxFrequencyLow, h.MaxFrequency = p.estimateHighest(inHalf, inAll, 0)
	half4, half8, all4, all8 := p.countChunks()
	s.MaxChunkFrequency4, low.MaxChunkFrequency4Low, h.MaxChunkFrequency4 = p.estimateHighest(half4, all4, chunkBits4)
	s.MaxChunkFrequency8, low.MaxChunkFrequency8Low, h.MaxChunkFrequency8 = p.estimateHighest(half8, all8, chunkBits8)
	// No maximum lies below the mean, and no chunk below its busiest target.
	s.MaxFrequency = max(s.MaxFrequency, uint64(math.Ceil(s.AllLevel)))
	s.MaxChunkFrequency8 = max(s.MaxChunkFrequency8, s.MaxFrequency)
	s.MaxChunkFrequency4 = max(s.MaxChunkFrequency4, s.MaxChunkFrequency8)
	hot := hotSample{
		warpSize: p.opt.WarpSize, vector: p.kernel.vector, blocks: n, kept: p.keptBlocks(), last: p.last,
		targets: low.UniqueLow, hottest: inAll.group,
	}
	h.HotWarps, h.HotSegments = hot.estimate(&s)
	return s
}

// keptBlocks returns the complete blocks of the sample.
func (p *Sampler) keptBlocks() []keptBlock {
	p.kept = p.kept[:0]
	size := p.opt.BlockSize
	for at := 0; at < len(p.keys); at += size {
		p.kept = append(p.kept, keptBlock{keys: p.keys[at : at+size]})
	}
	return p.kept
}

// halves returns the sorted targets of the first half of the complete blocks,
// and those of all others.
func (p *Sampler) halves() (first, rest []uint32) {
	at := len(p.blocks) / 2 * p.opt.BlockSize
	return p.sorted[:at], p.sorted[at:]
}

// countTargets counts all targets and returns the busiest one of the first half
// of the blocks and of all.
func (p *Sampler) countTargets() (inHalf, inAll busiest) {
	p.groups.start(len(p.sorted))
	first, rest := p.halves()
	p.eachBlock(first, p.groups.targets)
	inHalf = p.groups.highest()
	p.eachBlock(rest, p.groups.targets)
	return inHalf, p.groups.highest()
}

// countChunks counts all chunks and returns the busiest ones of the first half
// of the blocks and of all.
func (p *Sampler) countChunks() (half4, half8, all4, all8 busiest) {
	p.groups.start(len(p.sorted))
	first, rest := p.halves()
	p.eachBlock(first, p.groups.chunks)
	half4, half8 = p.groups.highestChunks()
	p.eachBlock(rest, p.groups.chunks)
	all4, all8 = p.groups.highestChunks()
	return half4, half8, all4, all8
}

// eachBlock hands out sorted blocks, the last one possibly shorter.
func (p *Sampler) eachBlock(sorted []uint32, do func([]uint32)) {
	for len(sorted) > 0 {
		n := min(p.opt.BlockSize, len(sorted))
		do(sorted[:n])
		sorted = sorted[n:]
	}
}

// estimateUnique fills in what Sampling says of the targets that occur, n the
// complete blocks of the stream, once they are counted.
func (p *Sampler) estimateUnique(s *Stats, n uint64) {
	last := p.pop.last.lastBlock.count()
	seen, once, twice := p.groups.inBlocks()
	s.Bins = p.opt.Bins
	s.Sampled.UniqueLow = seen
	s.Sampled.UniqueHigh = min(seen+s.Updates-s.Sampled.Updates, s.Bins)
	unseen := chao2Unseen(once, twice, float64(uint64(len(p.blocks))+last), float64(n+last))
	s.Unique = s.Sampled.UniqueHigh
	if estimate := math.Round(float64(seen) + unseen); estimate < float64(s.Unique) {
		s.Unique = uint64(estimate)
	}
	s.AllLevel = float64(s.Updates) / float64(s.Unique)
}

// estimateHighest is that of sampleCounts: a group of 2^bits targets is chosen
// on one half of the blocks and counted on the other.
func (p *Sampler) estimateHighest(inHalf, inAll busiest, bits uint) (estimate, low uint64, half float64) {
	k := len(p.blocks)
	low = uint64(inAll.updates)
	if uint64(k) >= p.pop.blocks {
		return low, low, 0
	}
	kept := make([]float64, 0, k-k/2)
	size := p.opt.BlockSize
	for at := k / 2 * size; at < k*size; at += size {
		kept = append(kept, occurrences(p.keys[at:at+size], inHalf.group, bits))
	}
	total, half := p.pop.total(kept, occurrences(p.last, inHalf.group, bits))
	return max(low, uint64(math.Round(total))), low, half
}
