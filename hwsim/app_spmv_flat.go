package hwsim

import "github.com/atomtune/atomtune/device"

// reduceThreads is the block that reduces the carries of all warps, as in CUSP.
const reduceThreads = 512

// spmvFlat is CUSP's product in coordinate format (spmv_coo_flat; N. Bell, M.
// Garland, Implementing Sparse Matrix-Vector Multiplication on
// Throughput-Oriented Processors, SC 2009), the left half of [egielski14] Figure
// 1, with its three launches: whole units of one warp's width, the carries that
// the warps leave, and the elements left over.
func (s *appSession) spmvFlat(in AppInput, elements, x []uint64) error {
	s.spmvMemory(in.Keys, in.Others, elements, x)
	f := newFlat(s.call, s.lanes)
	units := s.updates / s.lanes
	if units == 0 {
		if err := s.clear(bufTarget); err != nil {
			return err
		}
		return s.runBlocks(serialKernel(), 1, 1, 0, s.updates, 0)
	}
	warps, perWarp, err := s.spmvWarps(units, f.bytes())
	if err != nil {
		return err
	}
	length, interval := units*s.lanes, perWarp*s.lanes
	active := (length + interval - 1) / interval
	s.counters("carry rows", active)
	s.elements("carry sums", active)
	if err := s.clear(bufTarget); err != nil {
		return err
	}
	if err := s.runBlocks(f.kernel(), s.blocksOf(warps), spmvThreads, f.bytes(), length, interval); err != nil {
		return err
	}
	carries := carryKernel(f.wide)
	if err := s.runBlocks(carries, 1, reduceThreads, carryBytes(f.wide), active); err != nil {
		return err
	}
	return s.runBlocks(serialKernel(), 1, 1, 0, s.updates, length)
}

// flat assembles CUSP's main kernel. Shared memory holds the rows of each warp,
// with half a warp's width of no rows before them, and then the values.
type flat struct {
	*builder
	lanes  uint64
	wide   bool
	laneID operand
	thread operand
	place  operand // of the thread's row
	slot   operand // of its value
}

func newFlat(call device.Call, lanes uint64) *flat {
	return &flat{builder: newBuilder("spmv.flat", spmvArgs), lanes: lanes, wide: call.Type.Bytes() == 8}
}

// rowWords returns the words that the rows take.
func (f *flat) rowWords() uint64 { return spmvThreads + spmvThreads/2 }

func (f *flat) elementBytes() uint64 {
	if f.wide {
		return 8
	}
	return 4
}

func (f *flat) bytes() uint64 { return 4*f.rowWords() + spmvThreads*f.elementBytes() }

func (f *flat) kernel() *program {
	f.laneID, f.thread = f.lane(), f.tid()
	padding := f.add(f.mul(scalarReg(scalarWarp), imm(f.lanes/2)), imm(f.lanes/2))
	f.place = f.add(f.thread, padding)
	f.slot = f.add(f.thread, imm(4*f.rowWords()/f.elementBytes()))
	warp, _ := f.gridWarps()
	f.storeShared(false, f.sub(f.place, imm(f.lanes/2)), imm(noRow))
	begin, end := interval(f.builder, warp)
	f.when(f.less(begin, f.arg(argSpMVLength)), func() {
		lastLane := f.equal(f.laneID, imm(f.lanes-1))
		f.when(lastLane, func() {
			first := f.vec()
			f.mov(first, begin)
			f.storeShared(false, f.place, f.load(bufRows, first))
			f.storeShared(f.wide, f.slot, imm(0))
		}, nil)
		at := f.add(f.laneID, begin)
		f.loop(func() {
			f.leaveUnless(f.less(at, end))
			f.turn(at)
			f.inc(at, imm(f.lanes))
		})
		f.when(lastLane, func() {
			f.store(bufCarryRows, f.spread(warp), f.loadShared(false, f.place))
			f.store(bufCarrySums, f.spread(warp), f.loadShared(f.wide, f.slot))
		}, nil)
	}, nil)
	return f.done()
}

// turn takes one unit of elements, lines 3 to 21 of the figure.
func (f *flat) turn(at operand) {
	row, value := multiply(f.builder, at)
	f.when(f.equal(f.laneID, imm(0)), func() {
		carryRow := f.loadShared(false, f.add(f.place, imm(f.lanes-1)))
		carry := f.loadShared(f.wide, f.add(f.slot, imm(f.lanes-1)))
		f.when(f.equal(row, carryRow),
			func() { f.to(value, opAddT, value, carry) },
			func() { addToRow(f.builder, carryRow, carry) })
	}, nil)
	f.storeShared(false, f.place, row)
	f.storeShared(f.wide, f.slot, value)
	for d := uint64(1); d < f.lanes; d *= 2 {
		f.scoped(func() {
			same := f.equal(row, f.loadShared(false, f.sub(f.place, imm(d))))
			f.when(same, func() {
				f.to(value, opAddT, value, f.loadShared(f.wide, f.sub(f.slot, imm(d))))
				f.storeShared(f.wide, f.slot, value)
			}, nil)
		})
	}
	f.when(f.less(f.laneID, imm(f.lanes-1)), func() {
		ends := f.differ(row, f.loadShared(false, f.add(f.place, imm(1))))
		f.when(ends, func() { addToRow(f.builder, row, value) }, nil)
	}, nil)
}

// addToRow adds to y without an atomic: no other warp adds to a row that ends
// in this one.
func addToRow(b *builder, row, value operand) {
	b.store(bufTarget, row, b.addT(b.load(bufTarget, row), value))
}

// serialKernel is one thread that multiplies the elements from its second
// argument on.
func serialKernel() *program {
	b := newBuilder("spmv.serial", spmvArgs)
	at := b.add(b.tid(), b.arg(1))
	b.loop(func() {
		b.leaveUnless(b.less(at, b.arg(argSpMVLength)))
		row, value := multiply(b, at)
		addToRow(b, row, value)
		b.inc(at, imm(1))
	})
	return b.done()
}
