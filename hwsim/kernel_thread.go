package hwsim

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// bufPartial is the buffer of `threadprivate`'s sums per block.
const bufPartial = bufScratch

// threadPrivate launches the two kernels of `threadprivate`.
func (s *session) threadPrivate() error {
	lanes := s.machine.lanes
	k := s.shaped(s.variant, s.grid, threadKernel(s.call, lanes), s.updates, s.bins, 0)
	s.buffer("partial", s.typed(k.blocks*s.bins))
	if err := s.launch(k); err != nil {
		return err
	}
	threads := min(1024, int(s.device.Core.MaxThreadsPerBlock.Value))
	return s.launch(kernel{
		prog: combineKernel(s.call, lanes), blocks: (s.bins + uint64(lanes) - 1) / uint64(lanes),
		threads: threads, blocksPerSM: 1, sharedBytes: uint64(threads) * 8, args: []uint64{s.bins, k.blocks},
	})
}

// threadKernel is the main kernel of `threadprivate`: counters [k][thread] in
// shared memory, which only their own thread touches, then one sum per block
// and target.
func threadKernel(call device.Call, lanes int) *program {
	u := newUpdater("threadprivate", updateArgs, variant.Variant{}, call, lanes)
	thread := u.tid()
	threads := u.mul(scalarReg(scalarWarps), imm(u.lanes))
	size := u.mul(u.arg(argBins), threads)
	u.scoped(func() {
		place := u.vec()
		u.mov(place, thread)
		u.loop(func() {
			u.leaveUnless(u.less(place, size))
			u.storeShared(u.wide(), place, imm(neutral(call)))
			u.inc(place, threads)
		})
	})
	warp := u.add(u.mul(scalarReg(scalarBlock), scalarReg(scalarWarps)), scalarReg(scalarWarp))
	stride := u.mul(u.mul(scalarReg(scalarBlocks), scalarReg(scalarWarps)), imm(u.lanes))
	at := u.add(u.mul(warp, imm(u.lanes)), u.laneID)
	u.loop(func() {
		u.leaveUnless(u.less(at, u.arg(argUpdates)))
		index := u.load(bufIndex, at)
		value := u.operandValue(at)
		place := u.add(u.mul(index, threads), thread)
		u.storeShared(u.wide(), place, u.addT(u.loadShared(u.wide(), place), value))
		u.inc(at, stride)
	})
	u.barrier()
	u.sumThreads(threads)
	return u.done()
}

// sumThreads reduces the copies of each target: warp w takes the targets
// w, w + warps and so on.
func (u *updater) sumThreads(threads operand) {
	k := u.uni()
	u.mov(k, scalarReg(scalarWarp))
	u.loop(func() {
		u.leaveUnless(u.less(k, u.arg(argBins)))
		place := u.add(u.mul(k, threads), u.laneID)
		total := u.loadShared(u.wide(), place)
		done := u.uni()
		u.mov(done, imm(u.lanes))
		u.loop(func() {
			u.leaveUnless(u.less(done, threads))
			u.inc(place, imm(u.lanes))
			u.to(total, opAddT, total, u.loadShared(u.wide(), place))
			u.inc(done, imm(u.lanes))
		})
		for d := u.lanes / 2; d >= 1; d /= 2 {
			u.scoped(func() {
				other := u.shuffle(total, u.xor(u.laneID, imm(d)))
				u.to(total, opAddT, total, other)
			})
		}
		u.when(u.equal(u.laneID, imm(0)), func() {
			row := u.mul(scalarReg(scalarBlock), u.arg(argBins))
			place := u.vec()
			u.mov(place, u.add(row, k))
			u.store(bufPartial, place, total)
		}, nil)
		u.inc(k, scalarReg(scalarWarps))
	})
}

// rowsAtOnce is how many rows a warp loads before it adds them, so that their
// latencies overlap.
const rowsAtOnce = 4

// sumRows adds up the warp's share of the partial sums of target k.
func (u *updater) sumRows(total, k, bins, rows operand) {
	row := u.uni()
	u.mov(row, scalarReg(scalarWarp))
	step := u.mul(scalarReg(scalarWarps), imm(rowsAtOnce))
	u.loop(func() {
		last := u.add(row, u.mul(scalarReg(scalarWarps), imm(rowsAtOnce-1)))
		u.leaveUnless(u.less(last, rows))
		var loaded [rowsAtOnce]operand
		for i := range loaded {
			ahead := u.add(row, u.mul(scalarReg(scalarWarps), imm(uint64(i))))
			loaded[i] = u.load(bufPartial, u.add(k, u.mul(ahead, bins)))
		}
		for i := range loaded {
			u.to(total, opAddT, total, loaded[i])
		}
		u.inc(row, step)
	})
	u.loop(func() {
		u.leaveUnless(u.less(row, rows))
		u.to(total, opAddT, total, u.load(bufPartial, u.add(u.mul(row, bins), k)))
		u.inc(row, scalarReg(scalarWarps))
	})
}

// combineKernel adds up the partial sums of all blocks. A block takes one
// warp's width of targets; its warps share the rows.
func combineKernel(call device.Call, lanes int) *program {
	u := newUpdater("combine", 2, variant.Variant{}, call, lanes)
	bins, rows := u.arg(0), u.arg(1)
	k := u.add(u.mul(scalarReg(scalarBlock), imm(u.lanes)), u.laneID)
	total := u.vec()
	u.mov(total, imm(neutral(call)))
	u.when(u.less(k, bins), func() { u.sumRows(total, k, bins, rows) }, nil)
	slot := u.add(u.mul(scalarReg(scalarWarp), imm(u.lanes)), u.laneID)
	u.storeShared(u.wide(), slot, total)
	u.barrier()
	u.when(u.equal(scalarReg(scalarWarp), imm(0)), func() {
		left := u.uni()
		u.mov(left, imm(1))
		u.loop(func() {
			u.leaveUnless(u.less(left, scalarReg(scalarWarps)))
			u.inc(slot, imm(u.lanes))
			u.to(total, opAddT, total, u.loadShared(u.wide(), slot))
			u.inc(left, imm(1))
		})
		u.when(u.less(k, bins), func() { u.store(bufTarget, k, made(u.builder, call, total)) }, nil)
	}, nil)
	return u.done()
}
