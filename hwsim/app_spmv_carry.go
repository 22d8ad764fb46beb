package hwsim

// carryRows is the words that the rows take in carryKernel: one per thread, one
// behind them that holds no row, and one that keeps elements of 8 bytes aligned.
const carryRows = reduceThreads + 2

// carryBytes returns the shared memory of carryKernel.
func carryBytes(wide bool) uint64 {
	if wide {
		return 4*carryRows + 8*reduceThreads
	}
	return 4*carryRows + 4*reduceThreads
}

// carrier assembles carryKernel.
type carrier struct {
	*builder
	wide   bool
	thread operand // number, and place of its row
	slot   operand // of its value
}

// carryKernel adds the carries of all warps to y: one block that takes 512 of
// them at a time, a segmented scan in shared memory with barriers. Rows that
// reach from one turn into the next are added twice, one after the other.
func carryKernel(wide bool) *program {
	c := &carrier{builder: newBuilder("spmv.carries", 1), wide: wide}
	c.thread = c.tid()
	first := uint64(carryRows)
	if wide {
		first /= 2
	}
	c.slot = c.add(c.thread, imm(first))
	c.when(c.equal(c.thread, imm(0)), func() {
		c.storeShared(false, c.spread(imm(reduceThreads)), imm(noRow))
	}, nil)
	base := c.uni()
	c.mov(base, imm(0))
	c.loop(func() {
		c.leaveUnless(c.less(base, c.arg(0)))
		c.turn(c.add(c.thread, base))
		c.inc(base, imm(reduceThreads))
	})
	return c.done()
}

// turn reduces one block of carries.
func (c *carrier) turn(at operand) {
	row, value := c.spread(imm(noRow)), c.spread(imm(0))
	inside := c.less(at, c.arg(0))
	c.when(inside, func() {
		c.mov(row, c.load(bufCarryRows, at))
		c.mov(value, c.load(bufCarrySums, at))
	}, nil)
	c.storeShared(false, c.thread, row)
	c.storeShared(c.wide, c.slot, value)
	c.barrier()
	for d := uint64(1); d < reduceThreads; d *= 2 {
		c.scoped(func() { c.step(row, d) })
	}
	c.when(inside, func() {
		ends := c.differ(row, c.loadShared(false, c.add(c.thread, imm(1))))
		c.when(ends, func() { addToRow(c.builder, row, c.loadShared(c.wide, c.slot)) }, nil)
	}, nil)
	c.barrier()
}

// step adds the value at the distance where its row is the same.
func (c *carrier) step(row operand, distance uint64) {
	left := c.spread(imm(0))
	c.when(c.atLeast(c.thread, imm(distance)), func() {
		same := c.equal(row, c.loadShared(false, c.sub(c.thread, imm(distance))))
		c.when(same, func() { c.mov(left, c.loadShared(c.wide, c.sub(c.slot, imm(distance)))) }, nil)
	}, nil)
	c.barrier()
	c.storeShared(c.wide, c.slot, c.addT(c.loadShared(c.wide, c.slot), left))
	c.barrier()
}
