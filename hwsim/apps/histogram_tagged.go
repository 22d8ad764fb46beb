package apps

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/variant"
)

// bufPartialBins holds one histogram per block of the original histogram.
const bufPartialBins = kernel.BufIndex + 1

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
	blocks := max(1, min((n+threads-1)/threads, uint64(perSM*s.Machine.SMs)))
	s.counters("bins", in.Bins)
	s.words("pixels", in.Keys)
	s.counters("partial histograms", blocks*in.Bins)
	if err := s.runBlocks(taggedKernel(int(warps), s.Machine.Lanes), blocks, int(threads), shared, n,
		in.Bins); err != nil {
		return AppResult{}, err
	}
	merge := mergeKernel(s.Machine.Lanes)
	if err := s.runBlocks(merge, in.Bins, mergeThreads, treeElements(mergeThreads, s.lanes)*4, blocks,
		in.Bins); err != nil {
		return AppResult{}, err
	}
	return s.finish(s.counted(in, kernel.BufTarget)), nil
}

// taggedKernel writes a block's histogram to its row of the partial ones.
func taggedKernel(warps, lanes int) *machine.Program {
	u := kernel.NewUpdater("tagged", taggedArgs, variant.Variant{}, device.Call{}, lanes)
	openWarpCopies(u)
	tagAt := uint64(32 - bits.Len(uint(lanes-1)))
	tag := u.Shl(u.LaneID, imm(tagAt))
	warp, grid := u.GridWarps()
	at := u.Add(u.Mul(warp, imm(u.Lanes)), u.LaneID)
	stride := u.Mul(grid, imm(u.Lanes))
	u.For(at, u.Arg(argPixels), stride, func() {
		countTagged(u, u.Add(u.CopyAt, u.Load(kernel.BufIndex, at)), tag, 1<<tagAt-1)
	})
	u.Barrier()
	k := u.Tid()
	threads := u.Mul(machine.BlockWarps, imm(u.Lanes))
	row := u.Mul(machine.BlockID, u.Arg(argPixelBins))
	u.For(k, u.Arg(argPixelBins), threads, func() {
		total, place := u.Vec(), u.Vec()
		u.Mov(total, imm(0))
		u.Mov(place, k)
		for range warps {
			u.Scoped(func() {
				u.Inc(total, u.And(u.LoadShared(false, place), imm(1<<tagAt-1)))
				u.Inc(place, u.Arg(argPixelBins))
			})
		}
		u.Store(bufPartialBins, u.Add(row, k), total)
	})
	return u.Done()
}

// countTagged adds 1 to a counter of the warp. The upper bits of a counter say
// which lane wrote it last. Where several lanes write to one counter, one value
// stays; the lanes that find another than theirs read, add and write again.
func countTagged(u *kernel.Updater, place, tag operand, mask uint64) {
	u.Loop(func() {
		count := u.And(u.LoadShared(false, place), imm(mask))
		written := u.Or(tag, u.Add(count, imm(1)))
		u.StoreShared(false, place, written)
		u.LeaveUnless(u.Differ(u.LoadShared(false, place), written))
	})
}

// mergeKernel sums the partial histograms: one block per bin.
func mergeKernel(lanes int) *machine.Program {
	b := machine.NewBuilder("merge", taggedArgs)
	thread, row, total := b.Tid(), b.Tid(), b.Vec()
	b.Mov(total, imm(0))
	b.For(row, b.Arg(argPixels), imm(mergeThreads), func() {
		place := b.Add(b.Mul(row, b.Arg(argPixelBins)), machine.BlockID)
		b.Inc(total, b.Load(bufPartialBins, place))
	})
	treeReduce(b, false, thread, total, mergeThreads, uint64(lanes))
	b.When(b.Equal(thread, imm(0)), func() {
		b.Store(kernel.BufTarget, b.Spread(machine.BlockID), total)
	})
	return b.Done()
}
