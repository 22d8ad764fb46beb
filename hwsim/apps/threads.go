package apps

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// pixelsAhead is how many pixels a thread of histogramOfThreads loads before it counts them: the
// histograms of the CUDA SDK read words of four (V. Podlozhnyuk, Histogram calculation in CUDA,
// NVIDIA 2007). Few threads have room for counters, so that they wait for what they load.
const pixelsAhead = 4

// histogramOfThreads counts in one copy of the bins per thread, as many of which share a block as
// its shared memory holds. It needs no atomics: each block writes a histogram to global memory,
// and a second kernel merges these.
func histogramOfThreads(cfg AppConfig, in AppInput) (AppResult, error) {
	s, limits := newAppSession(cfg, device.U32), cfg.Device.Limits()
	warps := min(limits.SharedBytes/(4*in.Bins), uint64(limits.MaxThreadsPerBlock)) / s.lanes
	if warps == 0 {
		return AppResult{}, fmt.Errorf(
			"%w: %d counters of each thread of a warp do not fit into %d bytes of shared memory on %s",
			device.ErrCannot, in.Bins, limits.SharedBytes, s.Device.Name)
	}
	n, threads, shared := uint64(len(in.Keys)), int(warps*s.lanes), 4*in.Bins*warps*s.lanes
	blocks := s.blocksFor(n, threads, shared)
	s.counters(in.Bins)
	s.words(in.Keys)
	s.counters(blocks * in.Bins)
	s.runBlocks(threadHistogramKernel(s.Machine.Lanes), blocks, threads, shared, n, in.Bins)
	s.merge(blocks, in.Bins)
	return s.finish(s.counted(in, kernel.BufTarget))
}

// threadHistogramKernel counts in counters [bin][thread], which only their own thread touches.
func threadHistogramKernel(lanes int) *machine.Program {
	u := kernel.NewUpdater("threads", 2, impl.Spec{}, device.Call{}, lanes)
	thread := u.Tid()
	threads := u.Mul(machine.BlockWarps, imm(u.Lanes))
	u.Each(thread, u.Mul(u.Arg(kernel.ArgBins), threads), threads, func(k operand) {
		u.StoreShared(false, k, imm(0))
	})
	warp, warps := u.GridWarps()
	stride := u.Mul(warps, imm(u.Lanes))
	at := u.Add(u.Mul(warp, imm(u.Lanes)), u.LaneID)
	count := func(pixel operand) {
		place := u.Add(u.Mul(pixel, threads), thread)
		u.StoreShared(false, place, u.Add(u.LoadShared(false, place), imm(1)))
	}
	u.Loop(func() {
		last := u.Add(at, u.Mul(stride, imm(pixelsAhead-1)))
		u.LeaveUnless(u.Less(last, u.Arg(kernel.ArgUpdates)))
		var pixels [pixelsAhead]operand
		for i := range pixels {
			pixels[i] = u.Load(kernel.BufIndex, at)
			u.Inc(at, stride)
		}
		for _, pixel := range pixels {
			u.Scoped(func() { count(pixel) })
		}
	})
	u.For(at, u.Arg(kernel.ArgUpdates), stride, func() { count(u.Load(kernel.BufIndex, at)) })
	u.Barrier()
	bin := u.Uniform(machine.WarpID)
	u.For(bin, u.Arg(kernel.ArgBins), machine.BlockWarps, func() { sumOfThreads(u, bin, threads) })
	return u.Done()
}

// sumOfThreads adds the counters of a bin by one warp.
func sumOfThreads(u *kernel.Updater, bin, threads operand) {
	total, place := u.Spread(imm(0)), u.Spread(u.LaneID)
	u.For(place, threads, imm(u.Lanes), func() {
		u.Inc(total, u.LoadShared(false, u.Add(place, u.Mul(bin, threads))))
	})
	for d := u.Lanes / 2; d >= 1; d /= 2 {
		u.Scoped(func() { u.Inc(total, u.Shuffle(total, u.Xor(u.LaneID, imm(d)))) })
	}
	u.When(u.Equal(u.LaneID, imm(0)), func() {
		row := u.Mul(machine.BlockID, u.Arg(kernel.ArgBins))
		u.Store(bufPartialBins, u.Spread(u.Add(row, bin)), total)
	})
}
