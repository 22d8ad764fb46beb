package apps

import (
	"math/bits"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
)

// Merge sort, [egielski14] section 4: blocks sort tiles in shared memory, then
// levels of merges join the tiles in pairs until one is left. The original
// follows Thrust: an odd-even merge network per tile [satish09], then merges in
// which each thread finds its key's place by binary search, here balanced by
// the merge path [green12]. The atomic form counts the equal keys of a tile once
// it is sorted; the merges then see each key of a tile once, with its
// frequency, and the array is restored to its length at the end.
//
//	[satish09] N. Satish, M. Harris, M. Garland. Designing Efficient Sorting
//	           Algorithms for Manycore GPUs. IPDPS 2009.
//	[green12]  O. Green, R. McColl, D. A. Bader. GPU Merge Path: A GPU Merging
//	           Algorithm. ICS 2012.

// mergeTile is how many keys a block sorts or merges: one per thread.
const (
	mergeTileBits = 8
	mergeTile     = 1 << mergeTileBits
)

// mergeBuffers are the arrays of a merge sort. Keys, frequencies and counts go
// back and forth between two sides; the host swaps them after each level, so
// that the result stands on the first side.
type mergeBuffers struct {
	input         int // is only read
	keys, keysOut int
	splits        int // per tile of a level: the keys before it that come from the first of the pair
	result        int // the sorted array
	// The rest is of the atomic form.
	unique            bool // each key of a tile stands once, with its frequency
	freqs, freqsOut   int
	counts, countsOut int // keys that each sorted stretch holds
	sums              int // per tile of keys: the sum of its frequencies
	starts            int // per key: where its copies begin
	firsts            int // per tile of the result: the key that its first place holds
}

// mergeSorter is a merge sort of n keys on a machine.
type mergeSorter struct {
	*appSession
	mergeBuffers
	n uint64
	// The keys that are left once tiles are sorted: in all, and in the tile that
	// has most.
	left, longest uint64
}

// runMergeSort sorts the keys and compares the result with a serial sort. The
// type of the configuration is not used: keys are words of 32 bits.
func runMergeSort(cfg AppConfig, in AppInput) (AppResult, error) {
	s := newMergeSorter(cfg, in.Keys)
	err := s.sortKeys()
	if err == nil && s.unique {
		err = s.restore()
	}
	if err != nil {
		return AppResult{}, err
	}
	return s.finish(s.correct(in.Keys))
}

func newMergeSorter(cfg AppConfig, keys []uint32) *mergeSorter {
	s := newAppSession(cfg, device.U32)
	s.Machine.Ones = s.Machine.Integer // counters are raised by the constant 1
	n := uint64(len(keys))
	return &mergeSorter{appSession: s, n: n,
		mergeBuffers: s.newMergeBuffers(s.words(keys), n, !cfg.Original)}
}

// newMergeBuffers places the arrays of a sort of n keys.
func (s *appSession) newMergeBuffers(input int, n uint64, unique bool) mergeBuffers {
	tiles := mergeTiles(n)
	b := mergeBuffers{
		input: input, keys: s.counters(n), keysOut: s.counters(n),
		splits: s.counters(tiles), unique: unique,
	}
	b.result = b.keys
	if unique {
		b.freqs, b.freqsOut = s.counters(n), s.counters(n)
		b.counts, b.countsOut = s.counters(tiles), s.counters(tiles)
		b.sums, b.starts = s.counters(tiles), s.counters(n)
		b.firsts, b.result = s.counters(tiles), s.counters(n)
	}
	return b
}

func mergeTiles(n uint64) uint64 { return (n + mergeTile - 1) / mergeTile }

// correct compares the result with a serial sort.
func (s *mergeSorter) correct(keys []uint32) bool {
	want := slices.Clone(keys)
	slices.Sort(want)
	return slices.Equal(s.Machine.Buffers[s.result].Words, want)
}

// sortKeys sorts tiles and merges them level by level.
func (s *mergeSorter) sortKeys() error {
	if err := s.sortTiles(); err != nil {
		return err
	}
	for level := uint64(0); mergeTile<<level < s.n; level++ {
		if err := s.mergeLevel(level); err != nil {
			return err
		}
	}
	return nil
}

// sortTiles finds how many keys the merges have to deal with, too. In the atomic form
// the host reads the counts, to launch no more blocks than there is work for.
func (s *mergeSorter) sortTiles() error {
	prog := tileKernel(s.mergeBuffers, s.Implementation.Reduction, int(s.lanes))
	s.runBlocks(prog, mergeTiles(s.n), mergeTile, tileSharedBytes, s.n, mergeTile, s.Seed)
	s.left, s.longest = s.n, mergeTile
	if s.unique {
		s.left, s.longest = 0, 0
		for _, count := range s.read(s.counts) {
			s.left += uint64(count)
			s.longest = max(s.longest, uint64(count))
		}
	}
	return s.Err
}

// mergeLevel joins stretches of 2^level tiles in pairs.
func (s *mergeSorter) mergeLevel(level uint64) error {
	stretches := (mergeTiles(s.n) + 1<<level - 1) >> level
	inPair := uint64(bits.Len64((min(s.longest<<(level+1), s.left) - 1) >> mergeTileBits))
	blocks := (stretches + 1) / 2 << inPair
	if !s.unique {
		blocks = mergeTiles(s.n)
	}
	args := []uint64{s.n, level, stretches, inPair, blocks}
	s.runBlocks(splitKernel(s.mergeBuffers), mergeTiles(blocks), mergeTile, 0, args...)
	s.runBlocks(pairKernel(s.mergeBuffers), blocks, mergeTile, mergeSharedBytes, args...)
	swap := func(a, b int) {
		bufs := s.Machine.Buffers
		bufs[a], bufs[b] = bufs[b], bufs[a]
	}
	swap(s.keys, s.keysOut)
	if s.unique {
		swap(s.freqs, s.freqsOut)
		swap(s.counts, s.countsOut)
	}
	return s.Err
}

// The arguments of a level of merges: keys at first, log2 of the tiles for which
// a stretch has room, stretches, log2 of the blocks that merge a pair, and blocks
// in all.
const (
	argMergeKeys = iota
	argMergeLevel
	argMergeStretches
	argMergeInPair
	argMergeBlocks
	mergeArgs
)

// The words of shared memory of a block that merges: the keys as they come, the
// keys in order, and the frequencies in order.
const (
	mergeOrderAt     = mergeTile
	mergeFreqsAt     = 2 * mergeTile
	mergeSharedBytes = 4 * 3 * mergeTile
)

// merger assembles the kernels of a level. A pair of stretches holds sorted keys
// from begin on and from begin + width on; a stretch of the atomic form may be
// shorter than its width.
type merger struct {
	*machine.Builder
	mergeBuffers
	width          operand // keys for which a stretch has room
	pair, begin    operand
	from           operand // first key of the tile in the merged pair
	countA, countB operand // keys in the two stretches
	merged         operand // keys in both
}

func newMerger(name string, bufs mergeBuffers) *merger {
	g := &merger{Builder: machine.NewBuilder(name, mergeArgs), mergeBuffers: bufs}
	g.width = g.Shl(imm(mergeTile), g.Arg(argMergeLevel))
	return g
}

// locate finds the pair to which a tile of the level's output belongs, and how
// long its stretches are. The tile is one per warp, or one per lane.
func (g *merger) locate(tile operand) {
	inPair := g.Arg(argMergeInPair)
	g.pair = g.Shr(tile, inPair)
	g.from = g.Shl(g.Sub(tile, g.Shl(g.pair, inPair)), imm(mergeTileBits))
	g.begin = g.Shl(g.Mul(g.pair, g.width), imm(1))
	if !g.unique {
		n, second := g.Arg(argMergeKeys), g.Add(g.begin, g.width)
		g.countA = g.Min(g.Sub(n, g.begin), g.width)
		g.countB = g.Min(g.Sub(g.Max(n, second), second), g.width)
		g.merged = g.Add(g.countA, g.countB)
		return
	}
	stretch := g.Spread(g.Shl(g.pair, imm(1)))
	g.countA, g.countB = g.Load(g.counts, stretch), g.Vec()
	g.Mov(g.countB, imm(0)) // the last pair may lack its second stretch
	second := g.Add(stretch, imm(1))
	there := g.Less(second, g.Arg(argMergeStretches))
	g.When(there, func() { g.Mov(g.countB, g.Load(g.counts, second)) })
	if g.pair.Scalar() {
		g.countA, g.countB = g.ofFirst(g.countA), g.ofFirst(g.countB)
	}
	g.merged = g.Add(g.countA, g.countB)
}

// ofFirst returns what the first lane holds.
func (g *merger) ofFirst(v operand) operand { return g.Unary(g.Uni(), machine.OpFirst, v) }

// splitKernel finds, for each tile of the merged pairs, how many of the keys
// before it come from the first stretch: one thread per tile follows the merge
// path, [green12]. Equal keys of the first stretch come first.
func splitKernel(bufs mergeBuffers) *machine.Program {
	g := newMerger("merge.split", bufs)
	tile := g.Add(g.Tid(), g.Mul(machine.BlockID, imm(mergeTile)))
	g.When(g.Less(tile, g.Arg(argMergeBlocks)), func() {
		g.locate(tile)
		if bufs.unique {
			g.When(g.Equal(g.from, imm(0)), func() { g.Store(g.countsOut, g.pair, g.merged) })
		}
		g.When(g.Less(g.from, g.merged), func() {
			low := g.Sub(g.Max(g.from, g.countB), g.countB)
			high := g.Min(g.from, g.countA)
			opposite := g.Sub(g.Add(g.Add(g.begin, g.width), g.from), imm(1))
			g.Loop(func() {
				g.LeaveUnless(g.Less(low, high))
				middle := g.Shr(g.Add(low, high), imm(1))
				a := g.Load(g.keys, g.Add(g.begin, middle))
				b := g.Load(g.keys, g.Sub(opposite, middle))
				halve(g.Builder, low, high, middle, g.AtLeast(b, a))
			})
			g.Store(g.splits, tile, low)
		})
	})
	return g.Done()
}

// pairKernel merges one tile per block: each thread takes a key of either
// stretch, counts the keys of the other one that come before it, and puts it in
// its place.
func pairKernel(bufs mergeBuffers) *machine.Program {
	g := newMerger("merge.merge", bufs)
	g.locate(machine.BlockID)
	g.When(g.Less(g.from, g.merged), g.mergeTile)
	return g.Done()
}

func (g *merger) mergeTile() {
	end := g.Min(g.Add(g.from, imm(mergeTile)), g.merged)
	// The keys of the first stretch that the tile takes.
	tile, endA := g.Spread(machine.BlockID), g.Uni()
	beginA := g.ofFirst(g.Load(g.splits, tile))
	g.Mov(endA, g.countA)
	g.When(g.Less(end, g.merged), func() {
		g.Unary(endA, machine.OpFirst, g.Load(g.splits, g.Add(tile, imm(1))))
	})
	fromA, count := g.Sub(endA, beginA), g.Sub(end, g.from)
	k, key, freq := g.Tid(), g.Vec(), g.Vec()
	inside, first := g.Less(k, count), g.Less(k, fromA)
	g.When(inside, func() {
		// The key's place in its stretch, and before it the stretch's.
		beginB := g.Sub(g.Add(g.Add(g.begin, g.width), g.Sub(g.from, beginA)), fromA)
		source := g.SelectTo(g.Vec(), first, g.Add(g.begin, beginA), beginB)
		g.Inc(source, k)
		g.Mov(key, g.Load(g.keys, source))
		if g.unique {
			g.Mov(freq, g.Load(g.freqs, source))
		}
		g.StoreShared(false, k, key)
	})
	g.Barrier()
	g.When(inside, func() { g.putInOrder(k, key, freq, first, fromA, count) })
	g.Barrier()
	g.When(inside, func() {
		at := g.Add(k, g.Add(g.begin, g.from))
		g.Store(g.keysOut, at, g.LoadShared(false, g.Add(k, imm(mergeOrderAt))))
		if g.unique {
			g.Store(g.freqsOut, at, g.LoadShared(false, g.Add(k, imm(mergeFreqsAt))))
		}
	})
}

// putInOrder searches the part of the other stretch, from fromA on or up to it,
// for each key. A key's place is its number in its own part plus what comes
// before it in the other: both ways k + low - fromA.
func (g *merger) putInOrder(k, key, freq, first, fromA, count operand) {
	low := g.SelectTo(g.Vec(), first, fromA, imm(0))
	high := g.SelectTo(g.Vec(), first, count, fromA)
	// equal keys of the first stretch come first
	bound := g.SelectTo(g.Vec(), first, key, g.Add(key, imm(1)))
	search(g.Builder, low, high, bound, func(at operand) operand { return g.LoadShared(false, at) })
	place := g.Sub(g.Add(k, low), fromA)
	g.StoreShared(false, g.Add(place, imm(mergeOrderAt)), key)
	if g.unique {
		g.StoreShared(false, g.Add(place, imm(mergeFreqsAt)), freq)
	}
}
