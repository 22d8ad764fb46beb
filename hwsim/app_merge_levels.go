package hwsim

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
	*builder
	mergeBuffers
	width          operand // keys for which a stretch has room
	pair, begin    operand
	from           operand // first key of the tile in the merged pair
	countA, countB operand // keys in the two stretches
	merged         operand // keys in both
}

func newMerger(name string, bufs mergeBuffers) *merger {
	g := &merger{builder: newBuilder(name, mergeArgs), mergeBuffers: bufs}
	g.width = g.shl(imm(mergeTile), g.arg(argMergeLevel))
	return g
}

// locate finds the pair to which a tile of the level's output belongs, and how
// long its stretches are. The tile is one per warp, or one per lane.
func (g *merger) locate(tile operand) {
	inPair := g.arg(argMergeInPair)
	g.pair = g.shr(tile, inPair)
	g.from = g.shl(g.sub(tile, g.shl(g.pair, inPair)), imm(mergeTileBits))
	g.begin = g.shl(g.mul(g.pair, g.width), imm(1))
	if g.unique {
		g.loadCounts()
	} else {
		n, second := g.arg(argMergeKeys), g.add(g.begin, g.width)
		g.countA = g.min(g.sub(n, g.begin), g.width)
		g.countB = g.min(g.sub(g.max(n, second), second), g.width)
	}
	g.merged = g.add(g.countA, g.countB)
}

// loadCounts reads how many keys the stretches hold. The last pair may lack its
// second stretch.
func (g *merger) loadCounts() {
	stretch := g.spread(g.shl(g.pair, imm(1)))
	a, b := g.load(g.counts, stretch), g.vec()
	g.mov(b, imm(0))
	second := g.add(stretch, imm(1))
	g.when(g.less(second, g.arg(argMergeStretches)), func() { g.mov(b, g.load(g.counts, second)) }, nil)
	g.countA, g.countB = a, b
	if g.pair.scalar() {
		g.countA = g.unary(g.uni(), opFirst, a)
		g.countB = g.unary(g.uni(), opFirst, b)
	}
}

// splitKernel finds, for each tile of the merged pairs, how many of the keys
// before it come from the first stretch: one thread per tile follows the merge
// path, [green12]. Equal keys of the first stretch come first.
func splitKernel(bufs mergeBuffers) *program {
	g := newMerger("merge.split", bufs)
	tile := g.add(g.tid(), g.mul(scalarReg(scalarBlock), imm(mergeTile)))
	g.when(g.less(tile, g.arg(argMergeBlocks)), func() {
		g.locate(tile)
		if bufs.unique {
			g.when(g.equal(g.from, imm(0)), func() { g.store(g.countsOut, g.pair, g.merged) }, nil)
		}
		g.when(g.less(g.from, g.merged), func() {
			low := g.sub(g.max(g.from, g.countB), g.countB)
			high := g.min(g.from, g.countA)
			opposite := g.sub(g.add(g.add(g.begin, g.width), g.from), imm(1))
			g.loop(func() {
				g.leaveUnless(g.less(low, high))
				middle := g.shr(g.add(low, high), imm(1))
				a := g.load(g.keys, g.add(g.begin, middle))
				b := g.load(g.keys, g.sub(opposite, middle))
				halve(g.builder, low, high, middle, g.atLeast(b, a))
			})
			g.store(g.splits, tile, low)
		}, nil)
	}, nil)
	return g.done()
}

// pairKernel merges one tile per block: each thread takes a key of either
// stretch, counts the keys of the other one that come before it, and puts it in
// its place.
func pairKernel(bufs mergeBuffers) *program {
	g := newMerger("merge.merge", bufs)
	g.locate(scalarReg(scalarBlock))
	g.when(g.less(g.from, g.merged), g.mergeTile, nil)
	return g.done()
}

func (g *merger) mergeTile() {
	end := g.min(g.add(g.from, imm(mergeTile)), g.merged)
	beginA, endA := g.splitsOfTile(end)
	fromA, count := g.sub(endA, beginA), g.sub(end, g.from)
	k, key, freq := g.tid(), g.vec(), g.vec()
	inside, first := g.less(k, count), g.less(k, fromA)
	g.when(inside, func() {
		// The key's place in its stretch, and before it the stretch's.
		beginB := g.sub(g.add(g.add(g.begin, g.width), g.sub(g.from, beginA)), fromA)
		source := g.selectTo(g.vec(), first, g.add(g.begin, beginA), beginB)
		g.inc(source, k)
		g.mov(key, g.load(g.keys, source))
		if g.unique {
			g.mov(freq, g.load(g.freqs, source))
		}
		g.storeShared(false, k, key)
	}, nil)
	g.barrier()
	g.when(inside, func() { g.putInOrder(k, key, freq, first, fromA, count) }, nil)
	g.barrier()
	g.when(inside, func() {
		at := g.add(k, g.add(g.begin, g.from))
		g.store(g.keysOut, at, g.loadShared(false, g.add(k, imm(mergeOrderAt))))
		if g.unique {
			g.store(g.freqsOut, at, g.loadShared(false, g.add(k, imm(mergeFreqsAt))))
		}
	}, nil)
}

// splitsOfTile returns which keys of the first stretch the tile takes.
func (g *merger) splitsOfTile(end operand) (begin, limit operand) {
	tile := g.spread(scalarReg(scalarBlock))
	begin = g.unary(g.uni(), opFirst, g.load(g.splits, tile))
	limit = g.uni()
	g.mov(limit, g.countA)
	g.when(g.less(end, g.merged), func() {
		g.unary(limit, opFirst, g.load(g.splits, g.add(tile, imm(1))))
	}, nil)
	return begin, limit
}

// putInOrder searches the part of the other stretch, from fromA on or up to it,
// for each key. A key's place is its number in its own part plus what comes
// before it in the other: both ways k + low - fromA.
func (g *merger) putInOrder(k, key, freq, first, fromA, count operand) {
	low := g.selectTo(g.vec(), first, fromA, imm(0))
	high := g.selectTo(g.vec(), first, count, fromA)
	bound := g.selectTo(g.vec(), first, key, g.add(key, imm(1))) // equal keys of the first stretch come first
	search(g.builder, low, high, bound, func(at operand) operand { return g.loadShared(false, at) })
	place := g.sub(g.add(k, low), fromA)
	g.storeShared(false, g.add(place, imm(mergeOrderAt)), key)
	if g.unique {
		g.storeShared(false, g.add(place, imm(mergeFreqsAt)), freq)
	}
}
