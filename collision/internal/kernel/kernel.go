// Package kernel measures warps and blocks of an index stream.
package kernel

import "slices"

// Kernel measures stretches of a stream, and holds the memory that one worker needs for that: small tables in
// which targets are counted.
type Kernel struct {
	warpSize, blockSize int
	padded              bool

	warps  *warpCounter
	blocks *blockCounter

	sorted, scratch []uint32
}

// Options say how a stream is cut into warps and blocks, see those of package collision.
type Options struct {
	WarpSize, BlockSize int
	Padded              bool
}

// New returns a kernel, for one goroutine.
func New(o Options) *Kernel {
	return &Kernel{warpSize: o.WarpSize, blockSize: o.BlockSize, padded: o.Padded,
		warps: newWarpCounter(o.WarpSize), blocks: newBlockCounter(o.BlockSize),
		sorted: make([]uint32, o.BlockSize), scratch: make([]uint32, o.BlockSize)}
}

// Measure returns the sums of a stretch that begins at a block border.
func (k *Kernel) Measure(keys []uint32) Sums {
	if len(keys) == 0 {
		return Sums{}
	}
	s := k.laneOrder(keys)
	for block := range slices.Chunk(keys, k.blockSize) {
		k.measureWarps(block, &s)
		k.measureBlock(block, &s)
	}
	return s
}

func (k *Kernel) measureBlock(block []uint32, s *Sums) {
	highest, distinct := k.blocks.measure(k.active(block))
	s.Totals[BlockDistinct] += distinct
	if len(block) < k.blockSize {
		s.LastBlock = Partial{uint64(len(block)), highest}
		return
	}
	s.Totals[BlockHighest] += highest
	s.Blocks++
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

// active returns the updates of a warp or block, which may be the scratch.
func (k *Kernel) active(keys []uint32) []uint32 {
	if !k.padded {
		return keys
	}
	return AppendActive(k.scratch[:0], keys)
}

// SortedBlock returns a block, or a part of one, in order.
func (k *Kernel) SortedBlock(block []uint32) []uint32 { return k.sortedRuns(block, k.blockSize) }

// SortedWarps returns a block, or a part of one, with each warp sorted.
func (k *Kernel) SortedWarps(keys []uint32) []uint32 { return k.sortedRuns(keys, k.warpSize) }

func (k *Kernel) sortedRuns(keys []uint32, size int) []uint32 {
	sorted := k.sorted[:copy(k.sorted, keys)]
	for run := range slices.Chunk(sorted, size) {
		slices.Sort(run)
	}
	return sorted
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
