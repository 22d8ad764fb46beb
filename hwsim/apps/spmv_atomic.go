package apps

import (
	"math"
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
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
	if order := kernel.OrderOf(s.Device, s.Variant, rows, s.Bins); order != nil {
		rows, columns, elements = kernel.Permute(rows, order), kernel.Permute(columns, order),
			kernel.Permute(elements, order)
	}
	s.spmvMemory(rows, columns, elements, x)
	warps, perWarp, err := s.spmvWarps((s.Updates+s.lanes-1)/s.lanes, 0)
	if err != nil {
		return err
	}
	if err := s.Clear(kernel.BufTarget); err != nil {
		return err
	}
	p := spmvAtomicKernel(s.Variant, s.Call, s.Machine.Lanes)
	return s.runBlocks(p, s.blocksOf(warps), spmvThreads, 0, s.Updates, perWarp*s.lanes, s.Seed)
}

func spmvAtomicKernel(v variant.Variant, call device.Call, lanes int) *machine.Program {
	u := kernel.NewUpdater("spmv."+v.String(), spmvArgs, v, call, lanes)
	u.Masks()
	warp, warps := u.GridWarps()
	begin, end := interval(u.Builder, warp)
	group, groups := u.Shr(begin, imm(uint64(bits.Len64(u.Lanes-1)))), imm(1)
	if v.Scatter {
		begin, end = u.Mul(warp, imm(u.Lanes)), u.Arg(argSpMVLength)
		group, groups = warp, warps
	}
	step := u.Mul(groups, imm(u.Lanes))
	u.Draw(func() (operand, operand) { return group, groups })
	u.At = u.Add(u.LaneID, begin)
	u.Loop(func() {
		u.Inside = u.Less(u.At, end)
		u.LeaveUnless(u.Inside)
		row, value := multiply(u.Builder, u.At)
		u.ReduceAndAdd(row, value)
		u.Inc(u.At, step)
	})
	return u.Done()
}

// interval returns where the warp's interval begins and ends.
func interval(b *machine.Builder, warp operand) (begin, end operand) {
	begin = b.Mul(warp, b.Arg(argInterval))
	return begin, b.Min(b.Add(begin, b.Arg(argInterval)), b.Arg(argSpMVLength))
}

// multiply loads an element and returns its row and its product with x.
func multiply(b *machine.Builder, at operand) (row, value operand) {
	row = b.Load(bufRows, at)
	column := b.Load(bufColumns, at)
	element := b.Load(bufElements, at)
	return row, b.Calc(machine.OpMulT, element, b.Load(bufX, column))
}

// noRow marks places of shared memory that hold no row.
const noRow = math.MaxUint32
