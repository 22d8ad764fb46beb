package apps

import (
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
)

// reduceThreads is the block that reduces the carries of all warps, as in CUSP.
const reduceThreads = 512

// spmvFlat is CUSP's product in coordinate format (spmv_coo_flat; N. Bell, M.
// Garland, Implementing Sparse Matrix-Vector Multiplication on
// Throughput-Oriented Processors, SC 2009), the left half of [egielski14] Figure
// 1, with its three launches: whole units of one warp's width, the carries that
// the warps leave, and the elements left over.
func (s *appSession) spmvFlat(in AppInput, elements, x []uint64) error {
	s.spmvMemory(in.Keys, in.Others, elements, x)
	units, bytes := s.Updates/s.lanes, uint64(s.Call.Type.Bytes())
	if units == 0 {
		if err := s.Clear(kernel.BufTarget); err != nil {
			return err
		}
		s.runBlocks(serialKernel(), 1, 1, 0, s.Updates, 0)
		return s.Err
	}
	shared := 4*flatRows + bytes*spmvThreads
	blocks, perWarp, err := s.spmvWarps(units, shared)
	if err != nil {
		return err
	}
	length, interval := units*s.lanes, perWarp*s.lanes
	active := (length + interval - 1) / interval
	s.counters(active)
	s.elements(active)
	if err := s.Clear(kernel.BufTarget); err != nil {
		return err
	}
	s.runBlocks(flatKernel(bytes, s.lanes), blocks, spmvThreads, shared, length, interval)
	s.runBlocks(carryKernel(bytes), 1, reduceThreads, 4*carryRows+bytes*reduceThreads, active)
	s.runBlocks(serialKernel(), 1, 1, 0, s.Updates, length)
	return s.Err
}

// flat assembles CUSP's main kernel. Shared memory holds the rows of each warp,
// with half a warp's width of no rows before them, and then the values.
type flat struct {
	*machine.Builder
	lanes  uint64
	wide   bool // values of 8 bytes
	laneID operand
	place  operand // of the thread's row
	slot   operand // of its value
}

// flatRows is the words that the rows take.
const flatRows = spmvThreads + spmvThreads/2

func flatKernel(bytes, lanes uint64) *machine.Program {
	f := &flat{Builder: machine.NewBuilder("spmv.flat", spmvArgs), lanes: lanes, wide: bytes == 8}
	f.laneID = f.Lane()
	thread := f.Tid()
	padding := f.Add(f.Mul(machine.WarpID, imm(f.lanes/2)), imm(f.lanes/2))
	f.place = f.Add(thread, padding)
	f.slot = f.Add(thread, imm(4*flatRows/bytes))
	warp, _ := f.GridWarps()
	f.StoreShared(false, f.Sub(f.place, imm(f.lanes/2)), imm(noRow))
	begin, end := interval(f.Builder, warp)
	f.When(f.Less(begin, f.Arg(argSpMVLength)), func() {
		lastLane := f.Equal(f.laneID, imm(f.lanes-1))
		f.When(lastLane, func() {
			first := f.Spread(begin)
			f.StoreShared(false, f.place, f.Load(bufRows, first))
			f.StoreShared(f.wide, f.slot, imm(0))
		})
		at := f.Add(f.laneID, begin)
		f.For(at, end, imm(f.lanes), func() { f.iteration(at) })
		f.When(lastLane, func() {
			f.Store(bufCarryRows, f.Spread(warp), f.LoadShared(false, f.place))
			f.Store(bufCarrySums, f.Spread(warp), f.LoadShared(f.wide, f.slot))
		})
	})
	return f.Done()
}

// iteration takes one unit of elements, lines 3 to 21 of the figure.
func (f *flat) iteration(at operand) {
	row, value := multiply(f.Builder, at)
	f.When(f.Equal(f.laneID, imm(0)), func() {
		carryRow := f.LoadShared(false, f.Add(f.place, imm(f.lanes-1)))
		carry := f.LoadShared(f.wide, f.Add(f.slot, imm(f.lanes-1)))
		f.WhenElse(f.Equal(row, carryRow),
			func() { f.To(value, machine.OpAddT, value, carry) },
			func() { addToRow(f.Builder, carryRow, carry) })
	})
	f.StoreShared(false, f.place, row)
	f.StoreShared(f.wide, f.slot, value)
	for d := uint64(1); d < f.lanes; d *= 2 {
		f.Scoped(func() {
			same := f.Equal(row, f.LoadShared(false, f.Sub(f.place, imm(d))))
			f.When(same, func() {
				f.To(value, machine.OpAddT, value, f.LoadShared(f.wide, f.Sub(f.slot, imm(d))))
				f.StoreShared(f.wide, f.slot, value)
			})
		})
	}
	f.When(f.Less(f.laneID, imm(f.lanes-1)), func() {
		ends := f.Differ(row, f.LoadShared(false, f.Add(f.place, imm(1))))
		f.When(ends, func() { addToRow(f.Builder, row, value) })
	})
}

// addToRow adds to y without an atomic: no other warp adds to a row that ends
// in this one.
func addToRow(b *machine.Builder, row, value operand) {
	b.Store(kernel.BufTarget, row, b.AddT(b.Load(kernel.BufTarget, row), value))
}

// serialKernel is one thread that multiplies the elements from its second
// argument on.
func serialKernel() *machine.Program {
	b := machine.NewBuilder("spmv.serial", spmvArgs)
	at := b.Add(b.Tid(), b.Arg(1))
	b.For(at, b.Arg(argSpMVLength), imm(1), func() {
		row, value := multiply(b, at)
		addToRow(b, row, value)
	})
	return b.Done()
}

// carryRows is the words that the rows take in carryKernel: one per thread, one
// behind them that holds no row, and one that keeps elements of 8 bytes aligned.
const carryRows = reduceThreads + 2

// carrier assembles carryKernel.
type carrier struct {
	*machine.Builder
	wide   bool    // values of 8 bytes
	thread operand // number, and place of its row
	slot   operand // of its value
}

// carryKernel adds the carries of all warps to y: one block that takes 512 of
// them at a time, a segmented scan in shared memory with barriers. Rows that
// reach from one iteration into the next are added twice, one after the other.
func carryKernel(bytes uint64) *machine.Program {
	c := &carrier{Builder: machine.NewBuilder("spmv.carries", 1), wide: bytes == 8}
	c.thread = c.Tid()
	c.slot = c.Add(c.thread, imm(4*carryRows/bytes))
	c.When(c.Equal(c.thread, imm(0)), func() {
		c.StoreShared(false, c.Spread(imm(reduceThreads)), imm(noRow))
	})
	base := c.Uniform(imm(0))
	c.For(base, c.Arg(0), imm(reduceThreads), func() { c.iteration(c.Add(c.thread, base)) })
	return c.Done()
}

// iteration reduces one block of carries.
func (c *carrier) iteration(at operand) {
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
