package device

import "github.com/atomtune/atomtune/variant"

// Shape is how an implementation's main kernel is launched: a fixed rule, so
// that prediction, simulation and measurement speak of the same kernel.
type Shape struct {
	Threads     int    // per block
	BlocksPerSM int    // resident at once
	Blocks      uint64 // in the grid; blocks loop over the stream with the grid's stride
	SharedBytes uint64 // per block
}

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

// Shape returns the launch of the implementation's main kernel over a stream:
// blocks of 256 threads, 1,024 where the private copies of a block leave too few
// blocks on an SM to fill it, and no more blocks than are resident at once, but as many for each
// range of targets.
func (l Limits) Shape(v variant.Variant, t Type, bins, updates uint64) Shape {
	s := Shape{Threads: 256, SharedBytes: v.SharedBytes(bins, t.Bytes())}
	if threads := bases[v.Base].threads; threads != nil {
		s.Threads = threads(l, t, bins)
		s.SharedBytes = bins * uint64(s.Threads*t.Bytes())
	}
	perSM := l.MaxWarps * l.WarpLanes
	if s.SharedBytes > 0 {
		fit := max(1, int(l.SharedBytesPerSM/s.SharedBytes))
		if bases[v.Base].grows && fit*s.Threads < perSM {
			s.Threads = min(1024, l.MaxThreadsPerBlock)
		}
		s.BlocksPerSM = fit
	} else {
		s.BlocksPerSM = perSM
	}
	warps := (s.Threads + l.WarpLanes - 1) / l.WarpLanes
	s.BlocksPerSM = max(1, min(s.BlocksPerSM, l.MaxWarps/warps, l.MaxBlocks))
	resident := uint64(s.BlocksPerSM) * uint64(l.SMs)
	s.Blocks = max(1, min(resident, (updates+uint64(s.Threads)-1)/uint64(s.Threads)))
	s.Blocks = max(uint64(v.G()), s.Blocks-s.Blocks%uint64(v.G()))
	return s
}

// SampleCounters is the number of counters with which a sample is counted for each slot.
const SampleCounters = 8

// SampleShape returns the launch that finds the targets of a table in a sample of the stream:
// blocks of 1,024 threads, each with at most as many slots, for which it has counters and an
// offer of 8 bytes each.
func (l Limits) SampleShape(v variant.Variant) Shape {
	const threads = 1024
	own := max(1, min(v.Slots, threads))
	s := Shape{Threads: threads, Blocks: uint64(v.Slots / own),
		SharedBytes: uint64(own) * (4*SampleCounters + 8)}
	warps := (threads + l.WarpLanes - 1) / l.WarpLanes
	s.BlocksPerSM = max(1, min(int(l.SharedBytesPerSM/s.SharedBytes), l.MaxWarps/warps, l.MaxBlocks))
	return s
}
