package collision

// warpSums are whole-number statistics added up over warps.
type warpSums struct {
	distinct, sectors4, sectors8, passes4, passes8, bankDegree, bankLanes uint64
	// highest is the sum of the highest frequencies of one target; it leaves
	// partial warps out, whose share of threads has another denominator.
	highest uint64
}

func (s *warpSums) add(t warpSums) {
	s.highest += t.highest
	s.distinct += t.distinct
	s.sectors4 += t.sectors4
	s.sectors8 += t.sectors8
	s.passes4 += t.passes4
	s.passes8 += t.passes8
	s.bankDegree += t.bankDegree
	s.bankLanes += t.bankLanes
}

// partial is the last, incomplete warp or block of a stream.
type partial struct {
	threads, highest uint64
}

// level is the mean of the collision factors of n complete groups and the
// partial one, if any.
func (p partial) level(highest, n, size uint64) float64 {
	return p.factors(highest, size) / float64(n+p.count())
}

// factors is the sum of the collision factors of complete groups of size
// threads each, whose highest frequencies add up to highest, and the partial
// group, if any.
func (p partial) factors(highest, size uint64) float64 {
	sum := float64(highest) / float64(size)
	if p.threads > 0 {
		sum += float64(p.highest) / float64(p.threads)
	}
	return sum
}

// count is 1 for a partial group and 0 for none.
func (p partial) count() uint64 { return min(p.threads, 1) }

// sums are the statistics of one stretch of a stream that begins at a block
// border, all whole numbers: their total does not depend on the order of
// addition. Only the last stretch of a stream may end in partial groups.
type sums struct {
	updates, warps, blocks uint64 // warps and blocks: complete ones
	first, last            uint32 // first and last target
	changes                uint64 // updates whose predecessor has another target
	clustered              uint64 // updates whose predecessor in the warp has the same target
	warp                   warpSums
	blockHighest           uint64
	blockDistinct          uint64
	lastWarp, lastBlock    partial
}

// append adds the stretch t that follows s.
func (s *sums) append(t sums) {
	if t.updates == 0 {
		return
	}
	if s.updates == 0 {
		*s = t
		return
	}
	if s.last != t.first {
		s.changes++
	}
	s.last = t.last
	s.updates += t.updates
	s.warps += t.warps
	s.blocks += t.blocks
	s.changes += t.changes
	s.clustered += t.clustered
	s.warp.add(t.warp)
	s.blockHighest += t.blockHighest
	s.blockDistinct += t.blockDistinct
	s.lastWarp, s.lastBlock = t.lastWarp, t.lastBlock
}

// stats turns the sums of a whole stream and its counts into means.
func (s *sums) stats(o Options, c summary) Stats {
	warps := float64(s.warps + s.lastWarp.count())
	blocks := float64(s.blocks + s.lastBlock.count())
	perWarp := func(sum uint64) float64 { return float64(sum) / warps }
	return Stats{
		Updates: s.updates, Bins: c.bins, Unique: c.unique,
		WarpSize: o.WarpSize, BlockSize: o.BlockSize,

		WarpLevel:  s.lastWarp.level(s.warp.highest, s.warps, uint64(o.WarpSize)),
		BlockLevel: s.lastBlock.level(s.blockHighest, s.blocks, uint64(o.BlockSize)),
		AllLevel:   float64(s.updates) / float64(c.unique),

		DistinctPerWarp:   perWarp(s.warp.distinct),
		DistinctPerBlock:  float64(s.blockDistinct) / blocks,
		ClusteredFraction: float64(s.clustered) / float64(s.updates),

		Runs: s.changes + 1, MaxFrequency: c.highest,
		MaxChunkFrequency4: c.highestChunk4, MaxChunkFrequency8: c.highestChunk8,

		Sectors4: perWarp(s.warp.sectors4), Sectors8: perWarp(s.warp.sectors8),
		SectorPasses4: perWarp(s.warp.passes4), SectorPasses8: perWarp(s.warp.passes8),
		BankDegree: perWarp(s.warp.bankDegree), BankLanes: perWarp(s.warp.bankLanes),
	}
}
