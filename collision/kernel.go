package collision

import "slices"

// tileLength is about how many updates a kernel works on at once: their sorted
// copy stays in the first-level cache.
const tileLength = 4096

// kernel measures stretches of a stream, and holds the memory that one worker needs for that. What
// vector instructions do not do is counted in small tables.
type kernel struct {
	warpSize, blockSize int
	padded              bool

	warps  *warpCounter
	blocks *blockCounter
	vector vectorKernel

	sorted, scratch []uint32
	inOrder         int // of the last tile, so many targets stand in sorted, block by block in order
}

func newKernel(o Options) *kernel {
	tile := max(tileLength/o.BlockSize, 1) * o.BlockSize
	return &kernel{warpSize: o.WarpSize, blockSize: o.BlockSize, padded: o.Padded,
		warps: newWarpCounter(o.WarpSize), blocks: newBlockCounter(o.BlockSize),
		vector: newVectorKernel(o), sorted: make([]uint32, tile), scratch: make([]uint32, tile)}
}

// measure returns the sums of a stretch that begins at a block border.
func (k *kernel) measure(keys []uint32) sums {
	k.inOrder = 0
	if len(keys) == 0 {
		return sums{}
	}
	s := k.laneOrder(keys)
	for tile := range slices.Chunk(keys, len(k.sorted)) {
		done := 0
		if !k.padded {
			done = k.vector.measureWarps(k.sorted, tile, &s.totals)
		}
		s.warps += uint64(done / k.warpSize)
		k.measureWarps(tile[done:], &s)
		k.inOrder = k.vector.sortBlocks(k.sorted[:done], k.blockSize)
		for block := range slices.Chunk(k.sorted[:k.inOrder], k.blockSize) {
			highest, distinct := k.vector.highestFrequency(block)
			s.addBlock(highest, distinct)
		}
		k.measureBlocks(tile[k.inOrder:], &s)
	}
	return s
}

// addBlock adds the statistics of a complete block.
func (s *sums) addBlock(highest, distinct uint64) {
	s.totals[blockHighest] += highest
	s.totals[blockDistinct] += distinct
	s.blocks++
}

// measureBlocks adds the statistics of blocks.
func (k *kernel) measureBlocks(keys []uint32, s *sums) {
	for block := range slices.Chunk(keys, k.blockSize) {
		highest, distinct := k.blocks.measure(k.active(block))
		if len(block) == k.blockSize {
			s.addBlock(highest, distinct)
			continue
		}
		s.totals[blockDistinct] += distinct
		s.lastBlock = partial{uint64(len(block)), highest}
	}
}

// measureWarps adds the statistics of warps.
func (k *kernel) measureWarps(keys []uint32, s *sums) {
	for warp := range slices.Chunk(keys, k.warpSize) {
		before := s.totals[warpHighest]
		k.warps.measure(k.active(warp), &s.totals)
		if len(warp) == k.warpSize {
			s.warps++
		} else {
			s.lastWarp = partial{uint64(len(warp)), s.totals[warpHighest] - before}
			s.totals[warpHighest] = before
		}
	}
}

// active returns the updates of a stretch no longer than a tile, which may be the scratch.
func (k *kernel) active(keys []uint32) []uint32 {
	if !k.padded {
		return keys
	}
	return appendActive(k.scratch[:0], keys)
}

// sortedBlock returns the block, or the part of one, that was measured last, in order.
func (k *kernel) sortedBlock(block []uint32) []uint32 {
	sorted := k.sorted[:len(block)]
	if k.inOrder < len(block) {
		copy(sorted, block)
		sortKeys(sorted, k.scratch)
	}
	return sorted
}

// sortedWarps returns a stretch no longer than a tile with each warp sorted.
func (k *kernel) sortedWarps(keys []uint32) []uint32 {
	var unused totals
	sorted := k.sorted[:len(keys)]
	done := 0
	if k.vector.sorts() {
		done = k.vector.measureWarps(sorted, keys, &unused)
	}
	copy(sorted[done:], keys[done:])
	for lo := done; lo < len(keys); lo += k.warpSize {
		sortKeys(sorted[lo:min(lo+k.warpSize, len(keys))], k.scratch)
	}
	return sorted
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

// partial is the last, incomplete warp or block of a stream.
type partial struct{ threads, highest uint64 }

// factors is the sum of the collision factors of complete groups of size threads each, whose
// highest frequencies add up to highest, and the partial group, if any.
func (p partial) factors(highest uint64, size int) float64 {
	sum := float64(highest) / float64(size)
	if p.threads > 0 {
		sum += float64(p.highest) / float64(p.threads)
	}
	return sum
}

// sums are the statistics of one stretch of a stream that begins at a block
// border, all whole numbers: their total does not depend on the order of
// addition. Only the last stretch of a stream may end in partial groups.
type sums struct {
	updates, warps, blocks uint64 // updates and padding; complete warps and blocks
	first, last            uint32 // first and last target, or padding
	totals                 totals
	lastWarp, lastBlock    partial
}

// append adds the stretch t that follows s.
func (s *sums) append(t sums, padded bool) {
	if t.updates == 0 {
		return
	}
	if s.updates == 0 {
		*s = t
		return
	}
	if s.last != t.first && !(padded && t.first == Inactive) {
		s.totals[changes]++
	}
	s.last = t.last
	s.updates += t.updates
	s.warps += t.warps
	s.blocks += t.blocks
	s.totals.add(t.totals)
	s.lastWarp, s.lastBlock = t.lastWarp, t.lastBlock
}
