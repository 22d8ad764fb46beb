package hwsim

// firstOfRun returns 1 where the key at that position differs from the one
// before it, or has none before it, and 0 elsewhere and where inside does not
// hold.
func (b *builder) firstOfRun(position, key, before, inside operand) operand {
	first := b.vec()
	b.mov(first, imm(0))
	b.when(inside, func() {
		again := b.both(b.test(opEq, key, before), b.test(opNe, position, imm(0)))
		b.selectTo(first, again, imm(0), imm(1))
	}, nil)
	return first
}

// blockTotal returns the sum of x over the block's threads, given the sums of x
// before each thread. at is a free word of shared memory.
func (b *builder) blockTotal(x, exclusive operand, at uint64) operand {
	last := b.test(opEq, b.tid(), imm(sortThreads-1))
	b.when(last, func() { b.storeShared(false, b.spread(imm(at)), b.add(exclusive, x)) }, nil)
	b.barrier()
	return b.loadShared(false, b.spread(imm(at)))
}

// The words of shared memory of a block that scans a tile: the sums of two
// scans, and their totals.
const (
	scanOwnAt       = 0
	scanBeforeAt    = 16
	scanOwnTotal    = 32
	scanBeforeTotal = 33
	scanSharedBytes = 4 * 34
)

// sumBefore returns the sum of the entries of the blocks before this one in an
// array with one entry per block. Each block sums them again, which saves a
// launch.
func (b *builder) sumBefore(buf int, lanes uint64) operand {
	sum, k := b.vec(), b.tid()
	b.mov(sum, imm(0))
	b.loop(func() {
		b.leaveUnless(b.test(opLess, k, scalarReg(scalarBlock)))
		b.inc(sum, b.load(buf, k))
		b.inc(k, imm(sortThreads))
	})
	scanned := b.blockScan(sum, b.lane(), lanes, scanBeforeAt)
	return b.blockTotal(sum, scanned, scanBeforeTotal)
}

// search moves low, in each lane, to the first place from low to high at which
// the value is not below the bound; values ascend. It spends both registers.
func (b *builder) search(low, high, bound operand, value func(at operand) operand) {
	b.loop(func() {
		b.leaveUnless(b.test(opLess, low, high))
		middle := b.shr(b.add(low, high), imm(1))
		b.halve(low, high, middle, b.test(opLess, value(middle), bound))
	})
}

// halve goes on above the middle where above holds, and below it elsewhere.
func (b *builder) halve(low, high, middle, above operand) {
	b.selectTo(high, above, high, middle)
	b.selectTo(low, above, b.add(middle, imm(1)), low)
}
