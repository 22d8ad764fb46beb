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

// measureLast returns the sums of the stretch that ends a stream and is
// shorter than a block.
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

// measurePair returns the sums of the two blocks at the front of keys, and
// leaves each sorted in sorted; nil where the vector kernel cannot take
// them.
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
