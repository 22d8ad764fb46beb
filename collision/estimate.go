package collision

import "math"

// estimator estimates the statistics of a stream from some of its blocks. It
// keeps its memory from one stream to the next.
type estimator struct {
	opt    Options
	kernel *kernel
	keys   []uint32 // targets of the complete blocks, in random order
	last   []uint32 // targets of the last, incomplete block
	before []int64  // the target before each block and the last one; -1: there is none
	sorted []uint32 // the targets, each block sorted
	pop    population
	groups groupCounts
	kept   []keptBlock // the complete blocks
}

func newEstimator(opt Options) estimator { return estimator{opt: opt, kernel: newKernel(opt)} }

// measure sums up each block and sorts its targets.
func (p *estimator) measure() {
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
		p.pop.kept[i].changes += p.changeBefore(i, p.pop.kept[i].first)
	}
	p.pop.last = k.measureLast(p.last)
	if len(p.last) > 0 {
		copy(p.sorted[len(p.keys):], k.sorted[:len(p.last)])
		p.pop.last.changes += p.changeBefore(len(p.pop.kept), p.pop.last.first)
	}
}

// changeBefore is 1 where a block does not begin with the target before it, else 0.
func (p *estimator) changeBefore(block int, first uint32) uint64 {
	if p.before[block] == int64(first) {
		return 0
	}
	return 1
}

// stats estimates the statistics of a stream of so many updates.
func (p *estimator) stats(updates uint64) Stats {
	p.measure()
	p.pop.blocks = updates / uint64(p.opt.BlockSize)
	s := Stats{
		Updates: updates, WarpSize: p.opt.WarpSize, BlockSize: p.opt.BlockSize,
		Sampled: &Sampling{
			Seed: p.opt.Seed, Blocks: uint64(len(p.pop.kept)), TotalBlocks: p.pop.blocks,
			Confidence: confidence,
		},
	}
	p.pop.estimateMeans(&s)
	hottest := p.estimateFrequencies(&s)
	p.kept = p.kept[:0]
	for at := 0; at < len(p.keys); at += p.opt.BlockSize {
		p.kept = append(p.kept, keptBlock{keys: p.keys[at : at+p.opt.BlockSize]})
	}
	hot := hotSample{
		warpSize: p.opt.WarpSize, vector: p.kernel.vector, blocks: p.pop.blocks, kept: p.kept,
		last: p.last, targets: s.Sampled.UniqueLow, hottest: hottest,
	}
	h := &s.Sampled.HalfWidth
	h.HotWarps, h.HotSegments = hot.estimate(&s)
	return s
}

// estimateMeans fills in every statistic that is a mean or a total over blocks.
func (p *population) estimateMeans(s *Stats) {
	h := &s.Sampled.HalfWidth
	for _, m := range means {
		value, half := m.field(s, h)
		total := func(b *sums) float64 { return m.total(b, s) }
		*value, *half = p.mean(total, m.per.units(s))
	}
	var runs float64
	runs, h.Runs = p.mean(func(b *sums) float64 { return float64(b.changes) }, 1)
	s.Runs = uint64(math.Round(runs))
	for _, b := range append(p.kept[:len(p.kept):len(p.kept)], p.last) {
		s.Sampled.Warps += b.warps + b.lastWarp.count()
		s.Sampled.Updates += b.updates
	}
}

// estimateFrequencies fills in what is known of targets and chunks, and returns the
// most frequent target of the sample.
func (p *estimator) estimateFrequencies(s *Stats) (hottest uint32) {
	groups, h, low := &p.groups, &s.Sampled.HalfWidth, s.Sampled
	split := len(p.pop.kept) / 2 * p.opt.BlockSize
	atMost := len(p.sorted)
	if p.opt.Bins > 0 {
		atMost = int(min(uint64(atMost), p.opt.Bins))
	}
	groups.reset(uint64(atMost))
	p.eachBlock(p.sorted[:split], groups.targets)
	chosen := groups.highest()
	p.eachBlock(p.sorted[split:], groups.targets)
	all := groups.highest()
	p.estimateUnique(s)
	s.MaxFrequency, low.MaxFrequencyLow, h.MaxFrequency = p.estimateHighest(chosen, all, 0)

	groups.reset(uint64(atMost))
	p.eachBlock(p.sorted[:split], groups.chunks)
	chosen4, chosen8 := groups.highestChunks()
	p.eachBlock(p.sorted[split:], groups.chunks)
	all4, all8 := groups.highestChunks()
	s.MaxChunkFrequency4, low.MaxChunkFrequency4Low, h.MaxChunkFrequency4 =
		p.estimateHighest(chosen4, all4, chunkBits4)
	s.MaxChunkFrequency8, low.MaxChunkFrequency8Low, h.MaxChunkFrequency8 =
		p.estimateHighest(chosen8, all8, chunkBits8)
	// No maximum lies below the mean, and no chunk below its busiest target.
	s.MaxFrequency = max(s.MaxFrequency, uint64(math.Ceil(s.AllLevel)))
	s.MaxChunkFrequency8 = max(s.MaxChunkFrequency8, s.MaxFrequency)
	s.MaxChunkFrequency4 = max(s.MaxChunkFrequency4, s.MaxChunkFrequency8)
	return all.group
}

// eachBlock hands out sorted blocks, the last one possibly shorter.
func (p *estimator) eachBlock(sorted []uint32, do func([]uint32)) {
	for len(sorted) > 0 {
		n := min(p.opt.BlockSize, len(sorted))
		do(sorted[:n])
		sorted = sorted[n:]
	}
}

// estimateUnique fills in Bins, Unique and AllLevel once all targets are counted.
func (p *estimator) estimateUnique(s *Stats) {
	last := p.pop.last.lastBlock.count()
	seen, once, twice := p.groups.inBlocks()
	limit := p.opt.Bins
	s.Bins = limit
	if limit == 0 {
		limit = maxBins
		s.Bins = uint64(highestIndex(p.sorted)) + 1
	}
	s.Sampled.UniqueLow = seen
	s.Sampled.UniqueHigh = min(seen+s.Updates-s.Sampled.Updates, limit)
	blocks, total := float64(s.Sampled.Blocks+last), float64(s.Sampled.TotalBlocks+last)
	s.Unique = s.Sampled.UniqueHigh
	unseen := chao2Unseen(once, twice, blocks, total)
	if estimate := math.Round(float64(seen) + unseen); estimate < float64(s.Unique) {
		s.Unique = uint64(estimate)
	}
	s.AllLevel = float64(s.Updates) / float64(s.Unique)
}

// chao2Unseen estimates the targets that no sampled block holds, from those
// that exactly one and exactly two hold, for t blocks out of total.
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
// lower bound and the half-width for the group chosen too.
func (p *estimator) estimateHighest(
	chosen, all busiest, bits uint,
) (estimate, low uint64, half float64) {
	k, size := len(p.pop.kept), p.opt.BlockSize
	if uint64(k) >= p.pop.blocks {
		return all.updates, all.updates, 0
	}
	kept := make([]float64, 0, k-k/2)
	for at := k / 2 * size; at < k*size; at += size {
		kept = append(kept, occurrences(p.keys[at:at+size], chosen.group, bits))
	}
	total, half := p.pop.total(kept, occurrences(p.last, chosen.group, bits))
	return max(all.updates, uint64(math.Round(total))), all.updates, half
}

// occurrences counts the updates of one group of 2^bits targets.
func occurrences(keys []uint32, group uint32, bits uint) float64 {
	n := 0
	for _, key := range keys {
		if key>>bits == group {
			n++
		}
	}
	return float64(n)
}

// groupCounts counts the updates of targets, or of chunks of 4-byte targets by their two chunks of
// 8-byte targets, over sorted blocks. A slot is seen once in each block that has one.
type groupCounts struct{ hashTable[[2]uint64] }

// targets counts the targets of a sorted block.
func (g *groupCounts) targets(sorted []uint32) {
	for begin := 0; begin < len(sorted); {
		target, end := sorted[begin], begin+1
		for end < len(sorted) && sorted[end] == target {
			end++
		}
		g.at(target)[0] += uint64(end - begin)
		begin = end
	}
}

// chunks counts the chunks of a sorted block.
func (g *groupCounts) chunks(sorted []uint32) {
	for begin := 0; begin < len(sorted); {
		chunk, end := sorted[begin]>>chunkBits8, begin+1
		for end < len(sorted) && sorted[end]>>chunkBits8 == chunk {
			end++
		}
		g.at(chunk >> 1)[chunk&1] += uint64(end - begin)
		begin = end
	}
}

// at returns the updates of a group in one more block.
func (g *groupCounts) at(group uint32) *[2]uint64 {
	s := g.find(group)
	s.seen++
	return &s.value
}

// busiest is a group with the most updates, the lowest of several; 0 where there is none.
type busiest struct {
	group   uint32
	updates uint64
}

func (b *busiest) see(group uint32, updates uint64) {
	if updates > b.updates || updates == b.updates && updates > 0 && group < b.group {
		b.group, b.updates = group, updates
	}
}

// highest returns the busiest target.
func (g *groupCounts) highest() (b busiest) {
	for s := range g.all {
		b.see(s.key, s.value[0])
	}
	return b
}

// highestChunks returns the busiest chunk of 4-byte and of 8-byte targets.
func (g *groupCounts) highestChunks() (of4, of8 busiest) {
	for s := range g.all {
		of4.see(s.key, s.value[0]+s.value[1])
		of8.see(2*s.key, s.value[0])
		of8.see(2*s.key+1, s.value[1])
	}
	return of4, of8
}

// inBlocks returns the number of targets, and of those that exactly one and exactly two blocks
// hold.
func (g *groupCounts) inBlocks() (seen uint64, once, twice float64) {
	for s := range g.all {
		seen++
		switch s.seen {
		case 1:
			once++
		case 2:
			twice++
		}
	}
	return seen, once, twice
}
