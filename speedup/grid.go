package speedup

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// launch is how a kernel that loops over the stream is launched, and how its updates spread over
// threads: device.Shape in the words of the formulas.
//
// Blocks beyond those that are resident run in waves, so that what a block takes in latency, it
// takes once for each wave. An SM with more blocks than others has more of the work: blocks times
// uneven are those of the SM with most, over all SMs. Where each thread has one update the latency
// says it all. What an SM's occupancy does to the waiting follows from the bounds: the more warps,
// the fewer turns has each, and the work on the SM's own parts stays the same.
type launch struct {
	threads, blocks  float64
	resident         float64 // blocks that run at once at most
	busy, perBlock   float64 // blocks with updates, and 1 / them
	iterations       float64 // of the warp with most
	waves, busyWaves float64 // of blocks, and of those with updates
	slotIterations   float64 // of a resident warp's place, in all waves
	united           float64 // of these, those that load with the one before
	uneven           float64 // blocks of the SM with most over the mean
}

// grid is a launch with copies, and what follows for its flush.
type grid struct {
	launch
	invIterations float64 // 1 / turns
	warps         float64 // of a block, with updates
	lock          float64 // microseconds per cycle that a lock is held, over the blocks
	targetsUS     float64 // in which the targets take the blocks' sums
	flush         bounds  // of that
}

// Launched returns the bundle under a launch in place of the rule of device.Limits.Shape. What
// cannot be launched so is not priced, as what cannot run. Errors wrap device.ErrLaunch.
func (b *Bundle) Launched(fixed device.Launch) (*Bundle, error) {
	if err := fixed.Validate(); err != nil {
		return nil, err
	}
	if b.c.Wide() {
		if fixed != (device.Launch{}) {
			return nil, fmt.Errorf("%w: rows are added in a grid that follows from their width", device.ErrLaunch)
		}
		return b, nil
	}
	of := *b
	of.fixed, of.blocks, of.unroll = fixed, float64(fixed.Blocks), float64(max(1, fixed.Unroll))
	of.small = of.blocksOf(impl.Spec{}, 0)
	of.list = make([]candidate, len(b.list))
	for i, c := range b.list {
		of.prepare(&c)
		if b.d.CanLaunch(c.v, b.c.Type, 1, fixed) != nil {
			c.bins = 0
		}
		of.list[i] = c
	}
	return &of, nil
}

// copyGrid returns the launch of an implementation with so many bytes of copies in a block: that of all which leave
// room for as many blocks as an SM holds without.
func (b *Bundle) copyGrid(v impl.Spec, bytes float64, e *evaluation) *grid {
	if bytes*b.small.perSM <= b.sharedPerSM {
		return &e.roomy
	}
	of := b.blocksOf(v, e.st.Bins)
	b.setGrid(&of, &e.st, &e.grid)
	return &e.grid
}

// setLaunch sets a launch of such blocks.
func (b *Bundle) setLaunch(of *blocks, st *stream, l *launch) {
	needed := ceil(st.positions / of.threads)
	l.threads, l.resident = of.threads, of.perSM*b.sms
	l.blocks, l.waves, l.busyWaves, l.united, l.uneven = min(l.resident, needed), 1, 1, 0, 1
	l.busy = l.blocks
	if b.blocks > 0 {
		l.blocks, l.busy = b.blocks, min(b.blocks, needed)
		l.waves, l.busyWaves = ceil(l.blocks/l.resident), ceil(l.busy/l.resident)
	}
	l.perBlock = 1 / l.busy
	l.iterations = ceil(st.iterations * l.perBlock / of.warps)
	l.slotIterations = l.iterations * l.busyWaves
	if b.blocks > 0 && l.iterations > 1 {
		l.uneven = ceil(l.blocks/b.sms) * b.sms / l.blocks
	}
	if b.unroll > 1 {
		l.united = l.slotIterations * (1 - ceil(l.iterations/b.unroll)/l.iterations)
	}
}

// inFlight is the number of threads that run at once.
func (l *launch) inFlight() float64 { return min(l.blocks, l.resident) * l.threads }

// setGrid sets a launch of such blocks with copies.
func (b *Bundle) setGrid(of *blocks, st *stream, g *grid) {
	b.setLaunch(of, st, &g.launch)
	g.invIterations = 1 / g.iterations
	g.warps = min(of.threads/b.lanes, st.iterations*g.perBlock)
	g.lock = b.burst(st, g) * g.perBlock * g.busyWaves * b.cycle
	g.targetsUS = b.flushTargets(st, g, &g.flush)
}

// burst is how many times more of the most frequent target's adds meet at one copy than an even
// spread gives: BlockLevel of a block's threads in each iteration. After the first iteration warps drift
// apart, which leaves InStep of it.
func (b *Bundle) burst(st *stream, g *grid) float64 {
	drifted := max(b.d.Shared.InStep.Value*st.positions, min(st.positions, g.blocks*g.threads))
	return max(1, st.BlockLevel*drifted/st.maxFrequency)
}
