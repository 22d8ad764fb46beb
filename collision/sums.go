package collision

// add adds the statistics of other warps.
func (s *warpSums) add(t warpSums) {
	for i, x := range t {
		s[i] += x
	}
}

// partial is the last, incomplete warp or block of a stream.
type partial struct {
	threads, highest uint64
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

// stats turns the sums of a whole stream and its counts into statistics.
func (s *sums) stats(o Options, c summary) Stats {
	st := Stats{
		Updates: s.updates, Bins: c.bins, Unique: c.unique, WarpSize: o.WarpSize, BlockSize: o.BlockSize,
		AllLevel: float64(s.updates) / float64(c.unique), Runs: s.changes + 1, MaxFrequency: c.highest,
		MaxChunkFrequency4: c.highestChunk4, MaxChunkFrequency8: c.highestChunk8,
	}
	for _, m := range means {
		value, _ := m.field(&st, new(HalfWidths))
		*value = m.total(s, &st) / m.per.units(&st)
	}
	return st
}
