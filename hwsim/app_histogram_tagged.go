package hwsim

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// bufPartialBins holds one histogram per block of the original histogram.
const bufPartialBins = bufIndex + 1

// mergeThreads is the block of the kernel that merges partial histograms.
const mergeThreads = 256

// The arguments of the original histogram's kernels.
const (
	argPixels = iota // or the number of partial histograms
	argPixelBins
	taggedArgs
)

// taggedHistogram is the histogram of the CUDA SDK for devices without atomics
// in shared memory, histogram256 with tags (V. Podlozhnyuk, Histogram
// calculation in CUDA, NVIDIA 2007): counters per warp, whose updates a lane
// repeats until its own has survived, one histogram per block in global memory,
// and a merge.
func taggedHistogram(cfg AppConfig, in AppInput) (AppResult, error) {
	s := newAppSession(cfg, device.U32)
	warps, shared, err := s.warpsOfHistogram(in.Bins)
	if err != nil {
		return AppResult{}, err
	}
	n, threads := uint64(len(in.Keys)), warps*s.lanes
	perSM, err := s.residentBlocks(int(threads), shared)
	if err != nil {
		return AppResult{}, err
	}
	blocks := max(1, min((n+threads-1)/threads, uint64(perSM*s.machine.sms)))
	s.counters("bins", in.Bins)
	s.words("pixels", in.Keys)
	s.counters("partial histograms", blocks*in.Bins)
	if err := s.runBlocks(taggedKernel(int(warps), s.machine.lanes), blocks, int(threads), shared, n, in.Bins); err != nil {
		return AppResult{}, err
	}
	merge := mergeKernel(s.machine.lanes)
	if err := s.runBlocks(merge, in.Bins, mergeThreads, treeElements(mergeThreads, s.lanes)*4, blocks, in.Bins); err != nil {
		return AppResult{}, err
	}
	return s.finish(s.counted(in, bufTarget)), nil
}

// taggedKernel writes a block's histogram to its row of the partial ones.
func taggedKernel(warps, lanes int) *program {
	u := newUpdater("tagged", taggedArgs, variant.Variant{}, device.Call{}, lanes)
	openWarpCopies(u)
	tagAt := uint64(32 - bits.Len(uint(lanes-1)))
	tag := u.shl(u.laneID, imm(tagAt))
	warp, grid := u.gridWarps()
	at := u.add(u.mul(warp, imm(u.lanes)), u.laneID)
	stride := u.mul(grid, imm(u.lanes))
	u.loop(func() {
		u.leaveUnless(u.less(at, u.arg(argPixels)))
		countTagged(u, u.add(u.copyAt, u.load(bufIndex, at)), tag, 1<<tagAt-1)
		u.inc(at, stride)
	})
	u.barrier()
	k := u.tid()
	threads := u.mul(scalarReg(scalarWarps), imm(u.lanes))
	row := u.mul(scalarReg(scalarBlock), u.arg(argPixelBins))
	u.loop(func() {
		u.leaveUnless(u.less(k, u.arg(argPixelBins)))
		total, place := u.vec(), u.vec()
		u.mov(total, imm(0))
		u.mov(place, k)
		for range warps {
			u.scoped(func() {
				u.inc(total, u.and(u.loadShared(false, place), imm(1<<tagAt-1)))
				u.inc(place, u.arg(argPixelBins))
			})
		}
		u.store(bufPartialBins, u.add(row, k), total)
		u.inc(k, threads)
	})
	return u.done()
}

// countTagged adds 1 to a counter of the warp. The upper bits of a counter say
// which lane wrote it last. Where several lanes write to one counter, one value
// stays; the lanes that find another than theirs read, add and write again.
func countTagged(u *updater, place, tag operand, mask uint64) {
	u.loop(func() {
		count := u.and(u.loadShared(false, place), imm(mask))
		written := u.or(tag, u.add(count, imm(1)))
		u.storeShared(false, place, written)
		u.leaveUnless(u.differ(u.loadShared(false, place), written))
	})
}

// mergeKernel sums the partial histograms: one block per bin.
func mergeKernel(lanes int) *program {
	b := newBuilder("merge", taggedArgs)
	thread, row, total := b.tid(), b.tid(), b.vec()
	b.mov(total, imm(0))
	b.loop(func() {
		b.leaveUnless(b.less(row, b.arg(argPixels)))
		place := b.add(b.mul(row, b.arg(argPixelBins)), scalarReg(scalarBlock))
		b.inc(total, b.load(bufPartialBins, place))
		b.inc(row, imm(mergeThreads))
	})
	treeReduce(b, false, thread, total, mergeThreads, uint64(lanes))
	b.when(b.equal(thread, imm(0)), func() { b.store(bufTarget, b.spread(scalarReg(scalarBlock)), total) }, nil)
	return b.done()
}
