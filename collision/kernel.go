package collision

import "slices"

// tileLength is about how many updates a kernel works on at once: their sorted
// copy stays in the first-level cache.
const tileLength = 4096

// kernel holds the memory in which one worker sorts.
type kernel struct {
	warpSize, blockSize int
	padded              bool

	sorted, scratch []uint32
	vector          vectorKernel
}

func newKernel(o Options) *kernel {
	tile := max(tileLength/o.BlockSize, 1) * o.BlockSize
	return &kernel{warpSize: o.WarpSize, blockSize: o.BlockSize, padded: o.Padded,
		sorted: make([]uint32, tile), scratch: make([]uint32, tile), vector: newVectorKernel(o)}
}

// measure returns the sums of a stretch that begins at a block border. Its last tile is left
// sorted, block by block.
func (k *kernel) measure(keys []uint32) sums {
	if len(keys) == 0 {
		return sums{}
	}
	s := k.laneOrder(keys)
	for tile := range slices.Chunk(keys, len(k.sorted)) {
		sorted := k.sorted[:len(tile)]
		k.sortWarps(sorted, tile, &s)
		k.sortBlocks(sorted)
		for block := range slices.Chunk(sorted, k.blockSize) {
			k.addBlock(block, &s)
		}
	}
	return s
}

// addBlock adds the statistics of a sorted block.
func (k *kernel) addBlock(sorted []uint32, s *sums) {
	threads := len(sorted)
	if k.padded {
		sorted = withoutPadding(sorted)
	}
	highest, distinct := k.vector.highestFrequency(sorted)
	s.totals[blockDistinct] += distinct
	if threads < k.blockSize {
		s.lastBlock = partial{uint64(threads), highest}
		return
	}
	s.totals[blockHighest] += highest
	s.blocks++
}

// sortWarps sorts each warp of keys into sorted and adds its statistics.
func (k *kernel) sortWarps(sorted, keys []uint32, s *sums) {
	done := 0
	if !k.padded {
		done = k.vector.sortWarps(sorted, keys, &s.totals)
	}
	s.warps += uint64(done / k.warpSize)
	copy(sorted[done:], keys[done:])
	for warp := range slices.Chunk(sorted[done:], k.warpSize) {
		sortKeys(warp, k.scratch)
		lanes := warp
		if k.padded {
			lanes = withoutPadding(warp)
		}
		w := measureWarp(lanes)
		if len(warp) < k.warpSize {
			s.lastWarp = partial{uint64(len(warp)), w[warpHighest]}
			w[warpHighest] = 0
		} else {
			s.warps++
		}
		s.totals.add(w)
	}
}

// sortedWarps returns a stretch no longer than a tile with each warp sorted.
func (k *kernel) sortedWarps(keys []uint32) []uint32 {
	var unused totals
	sorted := k.sorted[:len(keys)]
	done := k.vector.sortWarps(sorted, keys, &unused)
	copy(sorted[done:], keys[done:])
	for lo := done; lo < len(keys); lo += k.warpSize {
		sortKeys(sorted[lo:min(lo+k.warpSize, len(keys))], k.scratch)
	}
	return sorted
}

// sortBlocks sorts each block of a tile whose warps are sorted.
func (k *kernel) sortBlocks(sorted []uint32) {
	whole := len(sorted) / k.blockSize * k.blockSize
	run := k.vector.mergeRuns(sorted[:whole], k.warpSize, k.blockSize)
	for block := range slices.Chunk(sorted[:whole], k.blockSize) {
		mergeRuns(block, k.scratch, run)
	}
	mergeRuns(sorted[whole:], k.scratch, k.warpSize)
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
