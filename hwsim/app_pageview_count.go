package hwsim

// dropper assembles the kernels that drop equal neighbours of the sorted keys,
// whose number is the argument.
type dropper struct {
	*builder
	thread, at operand
	key, first operand // first: 1 where the key differs from the one before
}

func newDropper(name string, keys int) *dropper {
	d := &dropper{builder: newBuilder(name, 1)}
	d.thread = d.tid()
	d.at = d.add(d.thread, d.mul(scalarReg(scalarBlock), imm(mergeTile)))
	d.key = d.vec()
	inside, before := d.less(d.at, d.arg(0)), d.vec()
	d.when(inside, func() {
		d.mov(d.key, d.load(keys, d.at))
		d.mov(before, d.load(keys, d.sub(d.max(d.at, imm(1)), imm(1))))
	}, nil)
	d.first = firstOfRun(d.builder, d.at, d.key, before, inside)
	return d
}

// headsKernel counts the different keys of each tile, leaving out one that goes
// on from the tile before.
func headsKernel(keys int, bufs pageBuffers, lanes uint64) *program {
	d := newDropper("pages.heads", keys)
	total := blockTotal(d.builder, d.first, blockScan(d.builder, d.first, d.lane(), lanes, scanOwnAt), scanOwnTotal)
	d.when(d.equal(d.thread, imm(0)), func() {
		d.store(bufs.heads, d.spread(scalarReg(scalarBlock)), total)
	}, nil)
	return d.done()
}

// dropKernel writes the different keys in order, and how many there are.
func dropKernel(keys int, bufs pageBuffers, lanes uint64) *program {
	d := newDropper("pages.drop", keys)
	place := blockScan(d.builder, d.first, d.lane(), lanes, scanOwnAt)
	d.inc(place, sumBefore(d.builder, bufs.heads, lanes))
	d.when(d.differ(d.first, imm(0)), func() { d.store(bufs.distinct, place, d.key) }, nil)
	d.when(d.equal(d.at, d.sub(d.arg(0), imm(1))), func() {
		d.store(bufs.total, d.spread(imm(0)), d.add(place, d.first))
	}, nil)
	return d.done()
}

// visitorsKernel counts the keys of each page: one thread per page searches the
// first key of its own page and of the next. Arguments: pages, visitors.
func visitorsKernel(bufs pageBuffers) *program {
	b := newBuilder("pages.visitors", 2)
	page := b.add(b.tid(), b.mul(scalarReg(scalarBlock), imm(mergeTile)))
	b.when(b.less(page, b.arg(0)), func() {
		load := func(at operand) operand { return b.load(bufs.distinct, at) }
		total := b.load(bufs.total, b.spread(imm(0)))
		low, high := b.spread(imm(0)), b.spread(total)
		bound := b.mul(page, b.arg(1))
		search(b, low, high, bound, load)
		first := b.spread(low)
		b.mov(high, total)
		b.inc(bound, b.arg(1))
		search(b, low, high, bound, load)
		b.store(bufs.visitors, page, b.sub(low, first))
	}, nil)
	return b.done()
}
