package hwsim

// restoreBuffers are the arrays with which an array of keys and frequencies is
// restored to its length.
type restoreBuffers struct {
	sums   int // per tile of keys: the sum of its frequencies
	starts int // per key: where its copies begin
	firsts int // per tile of the result: the key that its first place holds
}

func (s *appSession) newRestoreBuffers(n uint64) restoreBuffers {
	tiles := mergeTiles(n)
	return restoreBuffers{
		sums: s.counters("sums", tiles), starts: s.counters("starts", n), firsts: s.counters("firsts", tiles),
	}
}

// restore writes each key as often as it occurs.
func (a *mergeApp) restore() error {
	keys, tiles := mergeTiles(a.left), mergeTiles(a.n)
	args := []uint64{a.n, a.left}
	sums, starts := sumsKernel(a.mergeBuffers, a.restoreBuffers, a.lanes), startsKernel(a.mergeBuffers, a.restoreBuffers, a.lanes)
	if err := a.runBlocks(sums, keys, mergeTile, scanSharedBytes, args...); err != nil {
		return err
	}
	if err := a.runBlocks(starts, keys, mergeTile, scanSharedBytes, args...); err != nil {
		return err
	}
	return a.runBlocks(expandKernel(a.mergeBuffers, a.restoreBuffers, a.result), tiles, mergeTile, expandSharedBytes, args...)
}

// The arguments of the kernels that restore: places of the result, and keys that
// are left, one per different key of a tile.
const (
	argRestorePlaces = iota
	argRestoreKeys
	restoreArgs
)

// restorer assembles the kernels.
type restorer struct {
	*builder
	mergeBuffers
	restoreBuffers
	thread operand
	at     operand // the thread's key
	begin  operand // first place of the block
}

func newRestorer(name string, m mergeBuffers, b restoreBuffers) *restorer {
	r := &restorer{builder: newBuilder(name, restoreArgs), mergeBuffers: m, restoreBuffers: b}
	r.thread = r.tid()
	r.begin = r.mul(scalarReg(scalarBlock), imm(mergeTile))
	r.at = r.add(r.thread, r.begin)
	return r
}

// frequency loads the frequency of the thread's key, 0 beyond the last one.
func (r *restorer) frequency() operand {
	f := r.spread(imm(0))
	r.when(r.less(r.at, r.arg(argRestoreKeys)), func() { r.mov(f, r.load(r.freqs, r.at)) }, nil)
	return f
}

// sumsKernel sums the frequencies of each tile of keys.
func sumsKernel(m mergeBuffers, b restoreBuffers, lanes uint64) *program {
	r := newRestorer("merge.sums", m, b)
	f := r.frequency()
	total := blockTotal(r.builder, f, blockScan(r.builder, f, r.lane(), lanes, scanOwnAt), scanOwnTotal)
	r.when(r.equal(r.thread, imm(0)), func() {
		r.store(r.sums, r.spread(scalarReg(scalarBlock)), total)
	}, nil)
	return r.done()
}

// startsKernel finds where the copies of each key begin. The key whose copies
// reach over the beginning of a tile of the result is that tile's first; no key
// of a tile occurs more often than the tile has places, so there is one
// beginning at most.
func startsKernel(m mergeBuffers, b restoreBuffers, lanes uint64) *program {
	r := newRestorer("merge.starts", m, b)
	f := r.frequency()
	scanned := blockScan(r.builder, f, r.lane(), lanes, scanOwnAt)
	start := r.add(scanned, sumBefore(r.builder, b.sums, lanes))
	r.when(r.less(r.at, r.arg(argRestoreKeys)), func() {
		r.store(r.starts, r.at, start)
		tile := r.shr(r.add(start, imm(mergeTile-1)), imm(mergeTileBits))
		reaches := r.less(r.shl(tile, imm(mergeTileBits)), r.add(start, f))
		r.when(reaches, func() { r.store(r.firsts, tile, r.at) }, nil)
	}, nil)
	return r.done()
}

// The words of shared memory of a block that writes a tile of the result: where
// the copies of its keys begin, and the keys.
const (
	expandKeysAt      = mergeTile
	expandSharedBytes = 4 * 2 * mergeTile
)

// expandKernel writes one tile of the result per block: its keys, one per place
// at most, come to shared memory, and each thread searches the key whose copies
// cover its place.
func expandKernel(m mergeBuffers, b restoreBuffers, result int) *program {
	r := newRestorer("merge.expand", m, b)
	tile := r.spread(scalarReg(scalarBlock))
	first := r.unary(r.uni(), opFirst, r.load(r.firsts, tile))
	limit := r.uni()
	r.mov(limit, r.arg(argRestoreKeys))
	next := r.add(r.begin, imm(mergeTile))
	r.when(r.less(next, r.arg(argRestorePlaces)), func() {
		last := r.unary(r.uni(), opFirst, r.load(r.firsts, r.add(tile, imm(1))))
		r.to(limit, opAdd, last, imm(1))
	}, nil)
	count := r.min(r.sub(limit, first), imm(mergeTile))
	r.when(r.less(r.thread, count), func() {
		key := r.add(r.thread, first)
		r.storeShared(false, r.thread, r.load(r.starts, key))
		r.storeShared(false, r.add(r.thread, imm(expandKeysAt)), r.load(r.keys, key))
	}, nil)
	r.barrier()
	r.when(r.less(r.at, r.arg(argRestorePlaces)), func() {
		low, high := r.spread(imm(0)), r.spread(count)
		search(r.builder, low, high, r.add(r.at, imm(1)), func(at operand) operand { return r.loadShared(false, at) })
		r.store(result, r.at, r.loadShared(false, r.add(low, imm(expandKeysAt-1))))
	}, nil)
	return r.done()
}
