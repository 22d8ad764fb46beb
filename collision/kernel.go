package collision

// tileLength is about how many updates a kernel works on at once: their sorted
// copy stays in the first-level cache.
const tileLength = 4096

// kernel holds the memory in which one worker sorts.
type kernel struct {
	warpSize, blockSize int

	sorted, scratch []uint32
	vector          vectorKernel
}

func newKernel(o Options) *kernel {
	k := &kernel{warpSize: o.WarpSize, blockSize: o.BlockSize}
	tile := max(tileLength/o.BlockSize, 1) * o.BlockSize
	k.sorted = make([]uint32, tile)
	k.scratch = make([]uint32, tile)
	k.vector = newVectorKernel(o)
	return k
}

// measure returns the sums of a stretch of complete blocks.
func (k *kernel) measure(keys []uint32) sums {
	s := k.laneOrder(keys)
	for len(keys) > 0 {
		tile := keys[:min(len(keys), len(k.sorted))]
		keys = keys[len(tile):]
		sorted := k.sorted[:len(tile)]
		k.sortWarps(sorted, tile, &s.warp)
		s.warps += uint64(len(tile) / k.warpSize)
		k.sortBlocks(sorted)
		for ; len(sorted) > 0; sorted = sorted[k.blockSize:] {
			frequency, targets := k.vector.highestFrequency(sorted[:k.blockSize])
			s.blockHighest += frequency
			s.blockDistinct += targets
			s.blocks++
		}
	}
	return s
}

// measureLast returns the sums of the stretch that ends a stream and is shorter than a block.
func (k *kernel) measureLast(keys []uint32) sums {
	if len(keys) == 0 {
		return sums{}
	}
	s := k.laneOrder(keys)
	sorted := k.sorted[:len(keys)]
	copy(sorted, keys)
	for rest := sorted; len(rest) > 0; {
		warp := rest[:min(len(rest), k.warpSize)]
		rest = rest[len(warp):]
		sortKeys(warp, k.scratch)
		w := measureWarp(warp)
		if len(warp) < k.warpSize {
			s.lastWarp = partial{threads: uint64(len(warp)), highest: w[warpHighest]}
			w[warpHighest] = 0
		} else {
			s.warps++
		}
		s.warp.add(w)
	}
	mergeRuns(sorted, k.scratch, k.warpSize)
	frequency, targets := highestFrequency(sorted)
	s.lastBlock = partial{threads: uint64(len(keys)), highest: frequency}
	s.blockDistinct = targets
	return s
}

// laneOrder returns the sums that depend on which updates are neighbours.
func (k *kernel) laneOrder(keys []uint32) sums {
	last := len(keys) - 1
	equal := k.vector.countEqual(keys[:last], keys[1:])
	acrossWarps := uint64(0)
	for i := k.warpSize; i < len(keys); i += k.warpSize {
		if keys[i-1] == keys[i] {
			acrossWarps++
		}
	}
	return sums{
		updates: uint64(len(keys)), first: keys[0], last: keys[last],
		changes: uint64(last) - equal, clustered: equal - acrossWarps,
	}
}

// sortWarps sorts each warp of keys into sorted and adds its statistics.
func (k *kernel) sortWarps(sorted, keys []uint32, s *warpSums) {
	done := k.vector.sortWarps(sorted, keys, s)
	s.addPortable(sorted[:done], k.warpSize)
	copy(sorted[done:], keys[done:])
	for rest := sorted[done:]; len(rest) > 0; rest = rest[k.warpSize:] {
		warp := rest[:k.warpSize]
		sortKeys(warp, k.scratch)
		s.add(measureWarp(warp))
	}
}

// sortBlocks sorts each block of a tile whose warps are sorted.
func (k *kernel) sortBlocks(sorted []uint32) {
	run := k.vector.mergeRuns(sorted, k.warpSize, k.blockSize)
	if run >= k.blockSize {
		return
	}
	for rest := sorted; len(rest) > 0; rest = rest[k.blockSize:] {
		mergeRuns(rest[:k.blockSize], k.scratch, run)
	}
}

// countEqual counts the positions at which two slices of one length agree.
func countEqual(a, b []uint32) uint64 {
	var n uint64
	b = b[:len(a)]
	for i, x := range a {
		if x == b[i] {
			n++
		}
	}
	return n
}

// measurePair returns the sums of the two blocks at the front of keys, and leaves each sorted in
// sorted; nil where the vector kernel cannot take them.
func (k *kernel) measurePair(sorted, keys []uint32) *[2]sums {
	var warps [2]warpSums
	if !k.vector.sortPair(sorted, keys, k.blockSize, &warps) {
		return nil
	}
	for i := range warps {
		warps[i].addPortable(sorted[i*k.blockSize:(i+1)*k.blockSize], k.warpSize)
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

// factors is the sum of the collision factors of complete groups of size threads each, whose
// highest frequencies add up to highest, and the partial group, if any.
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
