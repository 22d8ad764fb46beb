package apps

import (
	"fmt"
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// histogramWarps is how many warps share a block of a warp-private histogram:
// as many as in the CUDA SDK's histogram256, or as many as a block may have and
// has room for if that is less.
const histogramWarps = 6

// countOne is what a pixel does to its bin.
func countOne() device.Call { return device.Call{Type: device.U32, Operand: device.One} }

// runHistogram counts the pixels of each bin. No-private and block-private
// counters are those of naive and private. All atomic levels add to the bins in
// global memory, the private ones at the end of each block, so that they differ
// only in where the counters lie; the original has no atomics, and so writes a
// histogram per block, which a second kernel merges. At the level ThreadPrivate it is another
// original, of counters per thread.
func runHistogram(cfg AppConfig, in AppInput) (AppResult, error) {
	switch {
	case cfg.Original && cfg.Level == ThreadPrivate:
		return histogramOfThreads(cfg, in)
	case cfg.Original || cfg.Level == WarpPrivate:
		return histogramOfWarps(cfg, in)
	}
	v := cfg.Method
	if cfg.Level == BlockPrivate {
		v.Algorithm = impl.Private
	}
	s := &appSession{Session: kernel.NewSession(cfg.Device, countOne(), v, cfg.Seed)}
	s.Place(in.Keys, in.Bins)
	if err := s.Run(); err != nil {
		return AppResult{}, err
	}
	return s.finish(s.counted(in, kernel.BufTarget))
}

// counted compares the bins with a serial count.
func (s *appSession) counted(in AppInput, buf int) bool {
	return arith.Matches(device.U32, s.Output(buf), arith.Reference(countOne(), 0, in.Keys, in.Bins),
		0)
}

// histogramOfWarps counts in one copy of the bins per warp, as many of which share a block as
// its shared memory holds.
//
// The original is the histogram of the CUDA SDK for devices without atomics
// in shared memory, histogram256 with tags (V. Podlozhnyuk, Histogram
// calculation in CUDA, NVIDIA 2007): counters per warp, whose updates a lane
// repeats until its own has survived, one histogram per block in global memory,
// and a merge.
func histogramOfWarps(cfg AppConfig, in AppInput) (AppResult, error) {
	s, limits := newAppSession(cfg, device.U32), cfg.Device.Limits()
	warps := min(histogramWarps, limits.SharedBytes/(4*in.Bins),
		uint64(limits.MaxThreadsPerBlock/limits.WarpLanes))
	if warps == 0 {
		return AppResult{}, fmt.Errorf(
			"%w: %d counters of a warp do not fit into %d bytes of shared memory on %s",
			device.ErrCannot, in.Bins, limits.SharedBytes, s.Device.Name)
	}
	n, threads, shared := uint64(len(in.Keys)), int(warps*s.lanes), 4*in.Bins*warps
	blocks := s.blocksFor(n, threads, shared)
	s.counters(in.Bins)
	s.words(in.Keys)
	if cfg.Original {
		s.counters(blocks * in.Bins)
		s.runBlocks(taggedKernel(int(warps), s.Machine.Lanes), blocks, threads, shared, n, in.Bins)
		s.merge(blocks, in.Bins)
		return s.finish(s.counted(in, kernel.BufTarget))
	}
	s.Machine.Ones = s.Machine.Integer // pixels are counted by the constant 1
	if err := s.Clear(kernel.BufTarget); err != nil {
		return AppResult{}, err
	}
	p := warpHistogramKernel(cfg.Method, int(warps), s.Machine.Lanes)
	s.runBlocks(p, blocks, threads, shared, n, in.Bins, cfg.Seed)
	return s.finish(s.counted(in, kernel.BufTarget))
}

// warpHistogramKernel counts as the main kernel of private does, but each
// warp's copy is its own. Its arguments are those of an update kernel.
func warpHistogramKernel(method impl.Spec, copies, lanes int) *machine.Program {
	v := method
	v.Algorithm = impl.Private
	name := "warp-" + v.String()
	v.Replicas = copies
	u := kernel.NewUpdater(name, kernel.UpdateArgs, v, countOne(), lanes)
	u.Masks()
	openWarpCopies(u)
	warp, warps := u.GridWarps()
	u.At = u.Add(u.Mul(warp, imm(u.Lanes)), u.LaneID)
	stride := u.Mul(warps, imm(u.Lanes))
	u.Draw(func() (group, groups operand) { return warp, warps })
	u.LoopUpdates(u.Arg(kernel.ArgUpdates), stride, func() (index, value operand) {
		return u.Load(kernel.BufIndex, u.At), u.OperandValue(u.At)
	})
	u.FlushCopies()
	return u.Done()
}

// openWarpCopies zeroes the block's copies and finds the warp's own.
func openWarpCopies(u *kernel.Updater) {
	threads := u.Mul(machine.BlockWarps, imm(u.Lanes))
	u.CopyAt = u.Mul(machine.WarpID, u.Arg(kernel.ArgBins))
	k := u.Tid()
	total := u.Mul(machine.BlockWarps, u.Arg(kernel.ArgBins))
	u.For(k, total, threads, func() { u.StoreShared(false, k, imm(0)) })
	u.Barrier()
}

// bufPartialBins holds one histogram per block of the original histogram.
const bufPartialBins = kernel.BufIndex + 1

// mergeThreads is the block of the kernel that merges partial histograms.
const mergeThreads = 256

// taggedKernel writes a block's histogram to its row of the partial ones. Its arguments, and
// those of mergeKernel, are the first two of an update kernel.
func taggedKernel(warps, lanes int) *machine.Program {
	u := kernel.NewUpdater("tagged", 2, impl.Spec{}, device.Call{}, lanes)
	openWarpCopies(u)
	tagAt := uint64(32 - bits.Len(uint(lanes-1)))
	tag := u.Shl(u.LaneID, imm(tagAt))
	warp, grid := u.GridWarps()
	at := u.Add(u.Mul(warp, imm(u.Lanes)), u.LaneID)
	stride := u.Mul(grid, imm(u.Lanes))
	u.For(at, u.Arg(kernel.ArgUpdates), stride, func() {
		countTagged(u, u.Add(u.CopyAt, u.Load(kernel.BufIndex, at)), tag, 1<<tagAt-1)
	})
	u.Barrier()
	k := u.Tid()
	threads := u.Mul(machine.BlockWarps, imm(u.Lanes))
	row := u.Mul(machine.BlockID, u.Arg(kernel.ArgBins))
	u.For(k, u.Arg(kernel.ArgBins), threads, func() {
		total, place := u.Vec(), u.Vec()
		u.Mov(total, imm(0))
		u.Mov(place, k)
		for range warps {
			u.Scoped(func() {
				u.Inc(total, u.And(u.LoadShared(false, place), imm(1<<tagAt-1)))
				u.Inc(place, u.Arg(kernel.ArgBins))
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

// merge adds the histograms of so many blocks.
func (s *appSession) merge(blocks, bins uint64) {
	treeBytes := treeElements(mergeThreads, s.lanes) * 4
	s.runBlocks(mergeKernel(s.Machine.Lanes), bins, mergeThreads, treeBytes, blocks, bins)
}

// mergeKernel sums the partial histograms: one block per bin.
func mergeKernel(lanes int) *machine.Program {
	b := machine.NewBuilder("merge", 2)
	thread, row, total := b.Tid(), b.Tid(), b.Vec()
	b.Mov(total, imm(0))
	b.For(row, b.Arg(kernel.ArgUpdates), imm(mergeThreads), func() {
		place := b.Add(b.Mul(row, b.Arg(kernel.ArgBins)), machine.BlockID)
		b.Inc(total, b.Load(bufPartialBins, place))
	})
	treeReduce(b, false, thread, total, mergeThreads, uint64(lanes))
	b.When(b.Equal(thread, imm(0)), func() {
		b.Store(kernel.BufTarget, b.Spread(machine.BlockID), total)
	})
	return b.Done()
}
