package device

import (
	"github.com/atomtune/atomtune/variant"
)

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

// Shape returns the launch of the implementation's main kernel over a stream:
// blocks of 256 threads, 1,024 where the private copies of a block leave too few
// blocks on an SM to fill it, and no more blocks than are resident at once.
func (p *Profile) Shape(v variant.Variant, t Type, bins, updates uint64) Shape {
	lanes := int(p.Core.WarpLanes.Value)
	s := Shape{Threads: 256, SharedBytes: v.SharedBytes(bins, t.Bytes())}
	if v.Base == variant.ThreadPrivate {
		s.Threads = max(lanes, variant.ThreadPrivateThreads(bins, t.Bytes(), lanes, uint64(p.Shared.BytesPerBlock.Value)))
		s.SharedBytes = bins * uint64(s.Threads*t.Bytes())
	}
	perSM := int(p.Core.MaxWarps.Value) * lanes
	if s.SharedBytes > 0 {
		fit := max(1, int(uint64(p.Shared.BytesPerSM.Value)/s.SharedBytes))
		if v.Base == variant.Private {
			if fit*s.Threads < perSM {
				s.Threads = min(1024, int(p.Core.MaxThreadsPerBlock.Value))
			}
		}
		s.BlocksPerSM = fit
	} else {
		s.BlocksPerSM = perSM
	}
	warps := (s.Threads + lanes - 1) / lanes
	s.BlocksPerSM = max(1, min(s.BlocksPerSM, int(p.Core.MaxWarps.Value)/warps, int(p.Core.MaxBlocks.Value)))
	resident := uint64(s.BlocksPerSM) * uint64(p.Core.SMs.Value)
	s.Blocks = max(1, min(resident, (updates+uint64(s.Threads)-1)/uint64(s.Threads)))
	return s
}
