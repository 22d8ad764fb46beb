package speedup

import "math"

// grid is how a kernel with copies is launched on a stream, and what follows for its flush.
type grid struct {
	threads, blocks float64
	perBlock        float64 // 1 / blocks
	turns, invTurns float64 // of the warp with most, and 1 / them
	warps           float64 // of a block, with updates
	lock            float64 // microseconds per cycle that a lock is held, over the blocks
	targetsUS       float64 // in which the targets take the blocks' sums
	flush           bounds  // of that
}

// launch returns the launch that device.Shape gives for so many bytes of copies in a block: blocks
// of 256 threads, of 1,024 where the copies leave too few of them on an SM, as many as are resident
// at once.
func (b *Bundle) launch(bytes float64, e *evaluation) *grid {
	fit, shape := math.Floor(b.sharedPerSM/bytes), &b.small
	if fit < b.fewSmall {
		shape = &b.large
	} else if fit >= shape.most {
		return &e.roomy
	}
	b.setGrid(max(1, min(fit, shape.most)), shape, &e.st, &e.grid)
	return &e.grid
}

// setGrid sets a launch with so many blocks per SM.
func (b *Bundle) setGrid(perSM float64, shape *blockShape, st *stream, g *grid) {
	g.threads = shape.threads
	g.blocks = min(perSM*b.sms, ceil(st.updates/shape.threads))
	g.perBlock = 1 / g.blocks
	g.turns = ceil(st.turns * g.perBlock / shape.warps)
	g.invTurns = 1 / g.turns
	g.warps = min(shape.threads/b.lanes, st.turns*g.perBlock)
	g.lock = b.burst(st, g) * g.perBlock * b.cycle
	g.targetsUS = b.flushTargets(st, g, &g.flush)
}

// burst is how many times more of the most frequent target's adds meet at one copy than an even
// spread gives: BlockLevel of a block's threads in each turn. After the first turn warps drift
// apart, which leaves InStep of it.
func (b *Bundle) burst(st *stream, g *grid) float64 {
	drifted := max(b.d.Shared.InStep.Value*st.updates, min(st.updates, g.blocks*g.threads))
	return max(1, st.BlockLevel*drifted/st.maxFrequency)
}
