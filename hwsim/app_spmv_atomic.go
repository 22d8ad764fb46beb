package hwsim

import (
	"math"
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// The arguments of the product's main kernels.
const (
	argSpMVLength = iota // elements, the place of argUpdates
	argInterval          // elements per warp, a multiple of the warp's lanes
	argSpMVSeed          // the place of argSeed
	spmvArgs
)

// spmvAtomic is the right half of [egielski14] Figure 1: each warp takes an
// interval of the elements and adds every product to y by the method. With ss
// the elements are re-laid; the new layout is an order in time (section 3.2), so
// that the warps then take the units in turn instead of intervals.
func (s *appSession) spmvAtomic(in AppInput, elements, x []uint64) error {
	rows, columns := in.Keys, in.Others
	if order := orderOf(s.device, s.variant, rows, s.bins); order != nil {
		rows, columns, elements = permute(rows, order), permute(columns, order), permute(elements, order)
	}
	s.spmvMemory(rows, columns, elements, x)
	warps, perWarp, err := s.spmvWarps((s.updates+s.lanes-1)/s.lanes, 0)
	if err != nil {
		return err
	}
	if err := s.clear(bufTarget); err != nil {
		return err
	}
	p := spmvAtomicKernel(s.variant, s.call, s.machine.lanes)
	return s.runBlocks(p, s.blocksOf(warps), spmvThreads, 0, s.updates, perWarp*s.lanes, s.seed)
}

func spmvAtomicKernel(v variant.Variant, call device.Call, lanes int) *program {
	u := newUpdater("spmv."+v.String(), spmvArgs, v, call, lanes)
	u.masks()
	warp, warps := u.gridWarps()
	begin, end := interval(u.builder, warp)
	group, groups := u.shr(begin, imm(uint64(bits.Len64(u.lanes-1)))), imm(1)
	if v.Scatter {
		begin, end = u.mul(warp, imm(u.lanes)), u.arg(argSpMVLength)
		group, groups = warp, warps
	}
	step := u.mul(groups, imm(u.lanes))
	u.draw(func() (operand, operand) { return group, groups })
	u.at = u.add(u.laneID, begin)
	u.loop(func() {
		u.inside = u.less(u.at, end)
		u.leaveUnless(u.inside)
		row, value := multiply(u.builder, u.at)
		u.reduceAndAdd(row, value)
		u.inc(u.at, step)
	})
	return u.done()
}

// interval returns where the warp's interval begins and ends.
func interval(b *builder, warp operand) (begin, end operand) {
	begin = b.mul(warp, b.arg(argInterval))
	return begin, b.min(b.add(begin, b.arg(argInterval)), b.arg(argSpMVLength))
}

// multiply loads an element and returns its row and its product with x.
func multiply(b *builder, at operand) (row, value operand) {
	row = b.load(bufRows, at)
	column := b.load(bufColumns, at)
	element := b.load(bufElements, at)
	return row, b.calc(opMulT, element, b.load(bufX, column))
}

// noRow marks places of shared memory that hold no row.
const noRow = math.MaxUint32
