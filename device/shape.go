package device

import (
	"cmp"
	"fmt"

	"github.com/atomtune/atomtune/variant"
)

// Shape is how an implementation's main kernel is launched, so that prediction, simulation and
// measurement speak of the same kernel. It is zero for implementations of several kernels, whose
// grids follow from the stream.
type Shape struct {
	Blocks      uint64 `json:"blocks"`       // in the grid; they loop over the stream in its stride
	Threads     int    `json:"threads"`      // per block
	SharedBytes uint64 `json:"shared_bytes"` // per block
	Unroll      int    `json:"unroll"`       // turns whose loads come before the adds of the first
	BlocksPerSM int    `json:"-"`            // resident at once
}

// String returns BxT as Launch does, with the turns at once where they are several; "" where the
// shape is zero.
func (s Shape) String() string {
	l := s.Launch()
	if l.Unroll == 0 {
		return ""
	}
	if l.Unroll == 1 {
		l.Unroll = 0
	}
	return l.String()
}

// Recorded returns the shape as readings have it: BLOCKSxTHREADS+SHAREDBYTES.
func (s Shape) Recorded() string { return fmt.Sprintf("%dx%d+%d", s.Blocks, s.Threads, s.SharedBytes) }

// Launch is what has to be fixed of a launch to get this one.
func (s Shape) Launch() Launch { return Launch{s.Blocks, s.Threads, s.Unroll} }

// Warps returns the number of warps of the grid.
func (s Shape) Warps(lanes int) uint64 { return s.Blocks * uint64((s.Threads+lanes-1)/lanes) }

// Limits are the numbers of a device that shape a launch.
type Limits struct {
	SMs                int
	WarpLanes          int
	MaxWarps           int // resident per SM
	MaxBlocks          int // resident per SM
	MaxThreadsPerBlock int
	SharedBytesPerSM   uint64
	SharedBytes        uint64 // most that a block can have
}

// Limits returns the profile's limits.
func (p *Profile) Limits() Limits {
	return Limits{
		SMs:                int(p.Core.SMs.Value),
		WarpLanes:          int(p.Core.WarpLanes.Value),
		MaxWarps:           int(p.Core.MaxWarps.Value),
		MaxBlocks:          int(p.Core.MaxBlocks.Value),
		MaxThreadsPerBlock: int(p.Core.MaxThreadsPerBlock.Value),
		SharedBytesPerSM:   uint64(p.Shared.BytesPerSM.Value),
		SharedBytes:        uint64(p.Shared.BytesPerBlock.Value),
	}
}

// Shape returns the launch of the implementation's main kernel over a stream. What the caller does
// not fix follows a rule: blocks of 256 threads, 1,024 where the private copies of a block leave
// too few blocks on an SM to fill it, no more blocks than are resident at once, as many for each
// range of targets, and one turn at a time. Profile.CanLaunch says whether the device can run it.
func (l Limits) Shape(v variant.Variant, t Type, bins, updates uint64, fixed Launch) Shape {
	if v.SeveralKernels() {
		return Shape{}
	}
	s := Shape{Threads: cmp.Or(fixed.Threads, 256), Unroll: max(1, fixed.Unroll),
		SharedBytes: v.SharedBytes(bins, t.Bytes())}
	if v.Site() == variant.PerThread {
		s.Threads = cmp.Or(fixed.Threads, l.threadCopies(t, bins))
		s.SharedBytes = bins * uint64(s.Threads*t.Bytes())
	}
	s.SharedBytes += v.WarpBytes() * uint64((s.Threads+l.WarpLanes-1)/l.WarpLanes)
	s.BlocksPerSM = l.MaxWarps * l.WarpLanes
	if s.SharedBytes > 0 {
		fit := max(1, int(l.SharedBytesPerSM/s.SharedBytes))
		if v.Site() == variant.PerBlock && fixed.Threads == 0 && fit*s.Threads < s.BlocksPerSM {
			s.Threads = min(1024, l.MaxThreadsPerBlock)
		}
		s.BlocksPerSM = fit
	}
	warps := (s.Threads + l.WarpLanes - 1) / l.WarpLanes
	s.BlocksPerSM = max(1, min(s.BlocksPerSM, l.MaxWarps/warps, l.MaxBlocks))
	resident := uint64(s.BlocksPerSM) * uint64(l.SMs)
	needed := (updates + uint64(s.Threads) - 1) / uint64(s.Threads)
	ranges := uint64(v.G())
	rule := max(1, min(resident, needed))
	s.Blocks = cmp.Or(fixed.Blocks, max(ranges, rule-rule%ranges))
	return s
}

// SampleCounters is the number of counters with which a block counts the samples of its slots: 8
// for each, so that few targets share one, and 4,096 at least.
func SampleCounters(slots int) int { return max(4096, 8*slots) }

// SampleShape returns the launch that finds the targets of a table in a sample of the stream:
// blocks of 1,024 threads, each with at most as many slots, for which it has counters and an
// offer of 8 bytes each.
func (l Limits) SampleShape(v variant.Variant) Shape {
	const threads = 1024
	own := max(1, min(v.Slots, threads))
	s := Shape{Threads: threads, Blocks: uint64(v.Slots / own),
		SharedBytes: uint64(4*SampleCounters(own) + 8*own)}
	warps := (threads + l.WarpLanes - 1) / l.WarpLanes
	s.BlocksPerSM = max(1, min(int(l.SharedBytesPerSM/s.SharedBytes), l.MaxWarps/warps, l.MaxBlocks))
	return s
}
