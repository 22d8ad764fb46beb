package hwsim

// firstOfRun returns 1 where the key at that position differs from the one
// before it, or has none before it, and 0 elsewhere and where inside does not
// hold.
func firstOfRun(b *builder, position, key, before, inside operand) operand {
	first := b.vec()
	b.mov(first, imm(0))
	b.when(inside, func() {
		again := b.both(b.equal(key, before), b.differ(position, imm(0)))
		b.selectTo(first, again, imm(0), imm(1))
	}, nil)
	return first
}

// blockTotal returns the sum of x over the block's threads, given the sums of x
// before each thread. at is a free word of shared memory.
func blockTotal(b *builder, x, exclusive operand, at uint64) operand {
	last := b.equal(b.tid(), imm(sortThreads-1))
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
func sumBefore(b *builder, buf int, lanes uint64) operand {
	sum, k := b.vec(), b.tid()
	b.mov(sum, imm(0))
	b.loop(func() {
		b.leaveUnless(b.less(k, scalarReg(scalarBlock)))
		b.inc(sum, b.load(buf, k))
		b.inc(k, imm(sortThreads))
	})
	scanned := blockScan(b, sum, b.lane(), lanes, scanBeforeAt)
	return blockTotal(b, sum, scanned, scanBeforeTotal)
}

// search moves low, in each lane, to the first place from low to high at which
// the value is not below the bound; values ascend. It spends both registers.
func search(b *builder, low, high, bound operand, value func(at operand) operand) {
	b.loop(func() {
		b.leaveUnless(b.less(low, high))
		middle := b.shr(b.add(low, high), imm(1))
		halve(b, low, high, middle, b.less(value(middle), bound))
	})
}

// halve goes on above the middle where above holds, and below it elsewhere.
func halve(b *builder, low, high, middle, above operand) {
	b.selectTo(high, above, high, middle)
	b.selectTo(low, above, b.add(middle, imm(1)), low)
}
