package hwsim

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
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
// histogram per block, which a second kernel merges.
func runHistogram(cfg AppConfig, in AppInput) (AppResult, error) {
	if err := checkHistogram(cfg, in); err != nil {
		return AppResult{}, err
	}
	if cfg.Original {
		return taggedHistogram(cfg, in)
	}
	v := cfg.Method
	if cfg.Level != NoPrivate {
		v.Base = variant.Private
	}
	if err := cfg.Device.CanRun(v, device.U32, in.Bins); err != nil {
		return AppResult{}, err
	}
	if cfg.Level == WarpPrivate {
		return warpHistogram(cfg, in)
	}
	s := &appSession{session: newSession(cfg.Device, countOne(), v, cfg.Seed)}
	s.place(in.Keys, in.Bins)
	if err := s.run(); err != nil {
		return AppResult{}, err
	}
	return s.finish(s.counted(in, bufTarget)), nil
}

func checkHistogram(cfg AppConfig, in AppInput) error {
	if err := in.checkLength(); err != nil {
		return err
	}
	switch {
	case cfg.Level > WarpPrivate:
		return fmt.Errorf("%w: no level %d", ErrStream, cfg.Level)
	case cfg.Type != device.U32:
		return fmt.Errorf("%w: a histogram of type %s, want u32", ErrStream, cfg.Type)
	case in.Bins == 0 || in.Bins > MaxBins:
		return fmt.Errorf("%w: %d bins, want 1 to %d", ErrStream, in.Bins, MaxBins)
	}
	if err := checkBelow("pixel", in.Keys, in.Bins, "bins"); err != nil {
		return err
	}
	return cfg.checkMethod(methodNaive, methodSR, methodVR)
}

// counted compares the bins with a serial count.
func (s *appSession) counted(in AppInput, buf int) bool {
	return matches(device.U32, s.output(buf), reference(countOne(), 0, in.Keys, in.Bins), 0)
}

// warpsOfHistogram returns how many warps with counters of their own share a
// block, and the shared memory that these take.
func (s *appSession) warpsOfHistogram(bins uint64) (warps, sharedBytes uint64, err error) {
	limits := s.device.Limits()
	warps = min(histogramWarps, limits.SharedBytes/(4*bins), uint64(limits.MaxThreadsPerBlock/limits.WarpLanes))
	if warps == 0 {
		return 0, 0, fmt.Errorf("%w: %d counters of a warp do not fit into %d bytes of shared memory on %s",
			device.ErrCannot, bins, limits.SharedBytes, s.device.Name)
	}
	return warps, 4 * bins * warps, nil
}

// warpHistogram counts in one copy of the bins per warp.
func warpHistogram(cfg AppConfig, in AppInput) (AppResult, error) {
	s := newAppSession(cfg, device.U32)
	s.machine.ones = s.machine.integer // pixels are counted by the constant 1
	warps, shared, err := s.warpsOfHistogram(in.Bins)
	if err != nil {
		return AppResult{}, err
	}
	s.counters("bins", in.Bins)
	s.words("pixels", in.Keys)
	if err := s.clear(bufTarget); err != nil {
		return AppResult{}, err
	}
	n := uint64(len(in.Keys))
	p := warpHistogramKernel(cfg.Method, int(warps), s.machine.lanes)
	if err := s.runOver(p, n, int(warps*s.lanes), shared, n, in.Bins, cfg.Seed); err != nil {
		return AppResult{}, err
	}
	return s.finish(s.counted(in, bufTarget)), nil
}

// warpHistogramKernel counts as the main kernel of private does, but each
// warp's copy is its own. Its arguments are those of an update kernel.
func warpHistogramKernel(method variant.Variant, copies, lanes int) *program {
	v := method
	v.Base = variant.Private
	name := "warp-" + v.String()
	v.Replicas = copies
	u := newUpdater(name, updateArgs, v, countOne(), lanes)
	u.masks()
	openWarpCopies(u)
	warp, warps := u.gridWarps()
	u.at = u.add(u.mul(warp, imm(u.lanes)), u.laneID)
	stride := u.mul(warps, imm(u.lanes))
	u.draw(func() (group, groups operand) { return warp, warps })
	u.loop(func() {
		u.inside = u.less(u.at, u.arg(argUpdates))
		u.leaveUnless(u.inside)
		index := u.load(bufIndex, u.at)
		u.reduceAndAdd(index, u.operandValue(u.at))
		u.inc(u.at, stride)
	})
	u.flushCopies()
	return u.done()
}

// openWarpCopies zeroes the block's copies and finds the warp's own.
func openWarpCopies(u *updater) {
	threads := u.mul(scalarReg(scalarWarps), imm(u.lanes))
	u.copyAt = u.mul(scalarReg(scalarWarp), u.arg(argBins))
	k := u.tid()
	total := u.mul(scalarReg(scalarWarps), u.arg(argBins))
	u.loop(func() {
		u.leaveUnless(u.less(k, total))
		u.storeShared(false, k, imm(0))
		u.inc(k, threads)
	})
	u.barrier()
}
