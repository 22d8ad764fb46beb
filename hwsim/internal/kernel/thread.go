package kernel

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// bufPartial is the buffer of `threadprivate`'s sums per block.
const bufPartial = bufScratch

func (s *Session) threadPrivate() {
	lanes := s.Machine.Lanes
	shape := s.shape()
	s.Buffer(s.Typed(shape.Blocks * s.Bins))
	s.Launch(threadKernel(s.Call, lanes), shape, s.Updates, s.Bins, 0)
	threads := min(1024, int(s.Device.Core.MaxThreadsPerBlock.Value))
	s.Launch(combineKernel(s.Call, lanes), device.Shape{Blocks: (s.Bins + uint64(lanes) - 1) / uint64(lanes),
		Threads: threads, BlocksPerSM: 1, SharedBytes: uint64(threads) * 8}, s.Bins, shape.Blocks)
}

// threadKernel is the main kernel of `threadprivate`: counters [k][thread] in shared memory, which
// only their own thread touches, then one sum per block and target.
func threadKernel(call device.Call, lanes int) *machine.Program {
	u := NewUpdater("threadprivate", UpdateArgs, impl.Spec{}, call, lanes)
	thread := u.Tid()
	threads := u.Mul(machine.BlockWarps, imm(u.Lanes))
	size := u.Mul(u.Arg(ArgBins), threads)
	u.Each(thread, size, threads, func(k operand) {
		u.StoreShared(u.Wide(), k, imm(arith.Neutral(call)))
	})
	warp, warps := u.GridWarps()
	stride := u.Mul(warps, imm(u.Lanes))
	at := u.Add(u.Mul(warp, imm(u.Lanes)), u.LaneID)
	u.For(at, u.Arg(ArgUpdates), stride, func() {
		index := u.Load(BufIndex, at)
		value := u.OperandValue(at)
		place := u.Add(u.Mul(index, threads), thread)
		u.StoreShared(u.Wide(), place, u.AddT(u.LoadShared(u.Wide(), place), value))
	})
	u.Barrier()
	u.sumThreads(threads)
	return u.Done()
}

// sumThreads reduces the copies of each target: warp w takes the targets w, w + warps and so on.
func (u *Updater) sumThreads(threads operand) {
	k := u.Uniform(machine.WarpID)
	u.For(k, u.Arg(ArgBins), machine.BlockWarps, func() {
		place := u.Add(u.Mul(k, threads), u.LaneID)
		total := u.LoadShared(u.Wide(), place)
		done := u.Uniform(imm(u.Lanes))
		u.For(done, threads, imm(u.Lanes), func() {
			u.Inc(place, imm(u.Lanes))
			u.To(total, machine.OpAddT, total, u.LoadShared(u.Wide(), place))
		})
		for d := u.Lanes / 2; d >= 1; d /= 2 {
			u.Scoped(func() {
				u.To(total, machine.OpAddT, total, u.Shuffle(total, u.Xor(u.LaneID, imm(d))))
			})
		}
		u.When(u.Equal(u.LaneID, imm(0)), func() {
			row := u.Mul(machine.BlockID, u.Arg(ArgBins))
			u.Store(bufPartial, u.Spread(u.Add(row, k)), total)
		})
	})
}

// rowsAtOnce is how many rows a warp loads before it adds them, so that their latencies overlap.
const rowsAtOnce = 4

func (u *Updater) sumRows(total, k, bins, rows operand) {
	row := u.Uniform(machine.WarpID)
	step := u.Mul(machine.BlockWarps, imm(rowsAtOnce))
	u.Loop(func() {
		last := u.Add(row, u.Mul(machine.BlockWarps, imm(rowsAtOnce-1)))
		u.LeaveUnless(u.Less(last, rows))
		var loaded [rowsAtOnce]operand
		for i := range loaded {
			ahead := u.Add(row, u.Mul(machine.BlockWarps, imm(uint64(i))))
			loaded[i] = u.Load(bufPartial, u.Add(k, u.Mul(ahead, bins)))
		}
		for i := range loaded {
			u.To(total, machine.OpAddT, total, loaded[i])
		}
		u.Inc(row, step)
	})
	u.For(row, rows, machine.BlockWarps, func() {
		u.To(total, machine.OpAddT, total, u.Load(bufPartial, u.Add(u.Mul(row, bins), k)))
	})
}

// combineKernel adds up the sums of blocks: a block takes a warp's width of targets, its warps share the rows.
func combineKernel(call device.Call, lanes int) *machine.Program {
	u := NewUpdater("combine", 2, impl.Spec{}, call, lanes)
	bins, rows := u.Arg(0), u.Arg(1)
	k := u.Add(u.Mul(machine.BlockID, imm(u.Lanes)), u.LaneID)
	total := u.Spread(imm(arith.Neutral(call)))
	u.When(u.Less(k, bins), func() { u.sumRows(total, k, bins, rows) })
	slot := u.Add(u.Mul(machine.WarpID, imm(u.Lanes)), u.LaneID)
	u.StoreShared(u.Wide(), slot, total)
	u.Barrier()
	u.When(u.Equal(machine.WarpID, imm(0)), func() {
		left := u.Uniform(imm(1))
		u.For(left, machine.BlockWarps, imm(1), func() {
			u.Inc(slot, imm(u.Lanes))
			u.To(total, machine.OpAddT, total, u.LoadShared(u.Wide(), slot))
		})
		u.When(u.Less(k, bins), func() { u.Store(BufTarget, k, u.made(k, total)) })
	})
	return u.Done()
}
