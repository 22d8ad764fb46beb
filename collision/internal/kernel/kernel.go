// Package kernel measures warps and blocks of an index stream, by vector instructions where the
// processor has them.
package kernel

import "slices"

// tileLength is about how many updates a kernel works on at once: sorted, they stay in the first-level cache.
const tileLength = 4096

// Kernel measures stretches of a stream, and holds the memory that one worker needs for that. What
// vector instructions do not do is counted in small tables.
type Kernel struct {
	warpSize, blockSize int
	padded              bool

	warps  *warpCounter
	blocks *blockCounter
	vector vectorKernel

	sorted, scratch []uint32
	inOrder         int // of the last tile, so many targets are in sorted, block by block in order
}

// Options say how a stream is cut into warps and blocks, see those of package collision.
type Options struct {
	WarpSize, BlockSize int
	Padded              bool
	Vectors             string // one of Vectors
}

// New returns a kernel, for one goroutine.
func New(o Options) *Kernel {
	tile := max(tileLength/o.BlockSize, 1) * o.BlockSize
	return &Kernel{warpSize: o.WarpSize, blockSize: o.BlockSize, padded: o.Padded,
		warps: newWarpCounter(o.WarpSize), blocks: newBlockCounter(o.BlockSize),
		vector: newVectorKernel(o), sorted: make([]uint32, tile), scratch: make([]uint32, tile)}
}

// Measure returns the sums of a stretch that begins at a block border.
func (k *Kernel) Measure(keys []uint32) Sums {
	k.inOrder = 0
	if len(keys) == 0 {
		return Sums{}
	}
	s := k.laneOrder(keys)
	for tile := range slices.Chunk(keys, len(k.sorted)) {
		done := 0
		if !k.padded {
			done = k.vector.measureWarps(k.sorted, tile, &s.Totals)
		}
		s.Warps += uint64(done / k.warpSize)
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

func (s *Sums) addBlock(highest, distinct uint64) {
	s.Totals[BlockHighest] += highest
	s.Totals[BlockDistinct] += distinct
	s.Blocks++
}

func (k *Kernel) measureBlocks(keys []uint32, s *Sums) {
	for block := range slices.Chunk(keys, k.blockSize) {
		highest, distinct := k.blocks.measure(k.active(block))
		if len(block) == k.blockSize {
			s.addBlock(highest, distinct)
			continue
		}
		s.Totals[BlockDistinct] += distinct
		s.LastBlock = Partial{uint64(len(block)), highest}
	}
}

func (k *Kernel) measureWarps(keys []uint32, s *Sums) {
	for warp := range slices.Chunk(keys, k.warpSize) {
		before := s.Totals[WarpHighest]
		k.warps.measure(k.active(warp), &s.Totals)
		if len(warp) == k.warpSize {
			s.Warps++
		} else {
			s.LastWarp = Partial{uint64(len(warp)), s.Totals[WarpHighest] - before}
			s.Totals[WarpHighest] = before
		}
	}
}

// Warp returns how many updates the most frequent target of a warp has, and how many targets there are.
func (k *Kernel) Warp(warp []uint32) (highest, distinct int) {
	var t Totals
	k.warps.measure(k.active(warp), &t)
	return int(t[WarpHighest]), int(t[WarpDistinct])
}

// active returns the updates of a stretch no longer than a tile, which may be the scratch.
func (k *Kernel) active(keys []uint32) []uint32 {
	if !k.padded {
		return keys
	}
	return AppendActive(k.scratch[:0], keys)
}

// SortedBlock returns the block, or the part of one, that was measured last, in order.
func (k *Kernel) SortedBlock(block []uint32) []uint32 {
	sorted := k.sorted[:len(block)]
	if k.inOrder < len(block) {
		copy(sorted, block)
		sortKeys(sorted, k.scratch)
	}
	return sorted
}

// SortedWarps returns a stretch no longer than a tile with each warp sorted.
func (k *Kernel) SortedWarps(keys []uint32) []uint32 {
	var unused Totals
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

// Partial is the last, incomplete warp or block of a stream.
type Partial struct{ Threads, Highest uint64 }

// Factors is the sum of the collision factors of complete groups of size threads each, whose
// highest frequencies add up to highest, and the partial group, if any.
func (p Partial) Factors(highest uint64, size int) float64 {
	sum := float64(highest) / float64(size)
	if p.Threads > 0 {
		sum += float64(p.Highest) / float64(p.Threads)
	}
	return sum
}

// Sums are the statistics of one stretch of a stream that begins at a block
// border, all whole numbers: their total does not depend on the order of
// addition. Only the last stretch of a stream may end in partial groups.
type Sums struct {
	Updates, Warps, Blocks uint64 // updates and padding; complete warps and blocks
	First, Last            uint32 // first and last target, or padding
	Totals                 Totals
	LastWarp, LastBlock    Partial
}

// Append adds the stretch t that follows s.
func (s *Sums) Append(t Sums, padded bool) {
	if t.Updates == 0 {
		return
	}
	if s.Updates == 0 {
		*s = t
		return
	}
	if s.Last != t.First && !(padded && t.First == Inactive) {
		s.Totals[Changes]++
	}
	s.Last = t.Last
	s.Updates += t.Updates
	s.Warps += t.Warps
	s.Blocks += t.Blocks
	s.Totals.add(t.Totals)
	s.LastWarp, s.LastBlock = t.LastWarp, t.LastBlock
}
