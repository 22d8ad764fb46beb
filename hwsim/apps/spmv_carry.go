package apps

import "github.com/atomtune/atomtune/hwsim/internal/machine"

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
	*machine.Builder
	wide   bool
	thread operand // number, and place of its row
	slot   operand // of its value
}

// carryKernel adds the carries of all warps to y: one block that takes 512 of
// them at a time, a segmented scan in shared memory with barriers. Rows that
// reach from one turn into the next are added twice, one after the other.
func carryKernel(wide bool) *machine.Program {
	c := &carrier{Builder: machine.NewBuilder("spmv.carries", 1), wide: wide}
	c.thread = c.Tid()
	first := uint64(carryRows)
	if wide {
		first /= 2
	}
	c.slot = c.Add(c.thread, imm(first))
	c.When(c.Equal(c.thread, imm(0)), func() {
		c.StoreShared(false, c.Spread(imm(reduceThreads)), imm(noRow))
	})
	base := c.Uniform(imm(0))
	c.For(base, c.Arg(0), imm(reduceThreads), func() {
		c.turn(c.Add(c.thread, base))
	})
	return c.Done()
}

// turn reduces one block of carries.
func (c *carrier) turn(at operand) {
	row, value := c.Spread(imm(noRow)), c.Spread(imm(0))
	inside := c.Less(at, c.Arg(0))
	c.When(inside, func() {
		c.Mov(row, c.Load(bufCarryRows, at))
		c.Mov(value, c.Load(bufCarrySums, at))
	})
	c.StoreShared(false, c.thread, row)
	c.StoreShared(c.wide, c.slot, value)
	c.Barrier()
	for d := uint64(1); d < reduceThreads; d *= 2 {
		c.Scoped(func() { c.step(row, d) })
	}
	c.When(inside, func() {
		ends := c.Differ(row, c.LoadShared(false, c.Add(c.thread, imm(1))))
		c.When(ends, func() { addToRow(c.Builder, row, c.LoadShared(c.wide, c.slot)) })
	})
	c.Barrier()
}

// step adds the value at the distance where its row is the same.
func (c *carrier) step(row operand, distance uint64) {
	left := c.Spread(imm(0))
	c.When(c.AtLeast(c.thread, imm(distance)), func() {
		same := c.Equal(row, c.LoadShared(false, c.Sub(c.thread, imm(distance))))
		c.When(same, func() { c.Mov(left, c.LoadShared(c.wide, c.Sub(c.slot, imm(distance)))) })
	})
	c.Barrier()
	c.StoreShared(c.wide, c.slot, c.AddT(c.LoadShared(c.wide, c.slot), left))
	c.Barrier()
}
