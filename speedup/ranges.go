package speedup

import (
	"math"

	"github.com/atomtune/atomtune/impl"
)

// Private copies of ranges of targets: the grid has G groups of blocks, each with copies of one
// range. The warps of a group read all indices, and in some turns hold no update of their range.

// rangeInstructions are those of an iteration beside the loop and the loads: place in the range, compare
// and branch, twice.
const rangeInstructions = 5

// ranged is one stream as the blocks of its busiest range see it.
type ranged struct {
	stream
	groups   float64 // G
	busy     float64 // share of the updates in the range
	occupied float64 // share of the iterations of its warps that have updates of it
	part     float64 // of the updates of a warp that are in the range, in these
}

// split sets what the busiest range has of a stream. It has the busiest chunk of targets and its
// part of the others or, in a stream that is ordered (see ordered), the most frequent targets:
//
//	busy = cover(K/G)·ordered + (1/G + (1 - 1/G)·MaxChunkFrequency/Updates)·(1 - ordered)
//
// A warp's s sectors of targets fall into the range as at random, so that
//
//	occupied = 1 - (1 - busy)^s,  part = busy/occupied
func (b *Bundle) split(c *copies, st *stream, r *ranged) {
	r.stream, r.groups = *st, c.ranges
	r.bins = ceil(st.bins / c.ranges)
	r.targetRows = ceil(r.bins / b.lanes)
	even := 1 / c.ranges
	r.busy = even + (1-even)*st.chunkShare
	if st.HotKnown() {
		r.busy += (st.cover(r.bins) - r.busy) * b.ordered(st)
	}
	r.busy = max(r.busy, even)
	r.occupied = 1 - math.Pow(1-r.busy, st.sectors)
	r.part = r.busy / r.occupied
}

// ordered is how far the frequent targets stand side by side: how much of what as many of the most
// frequent ones have, beyond the first and beyond as many mean ones, the busiest chunk has.
func (b *Bundle) ordered(st *stream) float64 {
	targets := 1 / b.chunksPerTarget
	even := st.maxFrequency/st.updates + (targets-1)/st.unique
	most := st.cover(targets) - even
	if most <= 0 {
		return 0
	}
	return min(1, max(0, st.chunkShare-even)/most)
}

// inRange returns the adds of an iteration that has some.
func (b *Bundle) inRange(kind impl.Reduction, a *adds, r *ranged) adds {
	p, share := *a, r.part
	others := max(1, (a.lanes-a.highest)/max(1, a.distinct-1))
	p.lanes, p.distinct = max(1, a.lanes*share), max(1, a.distinct*share)
	p.highest = min(p.lanes, others+max(0, a.highest-others)*share)
	p.bank = min(p.lanes, p.highest+max(0, a.bank-a.highest)*share)
	p.degree = max(1, 1+(a.degree-1)*share)
	p.setContention()
	p.random = max(p.highest, b.atRandom(p.distinct))
	if recipes[kind].groups {
		b.skip(kind, &p, r.DistinctPerWarp*(1-share), r.treeSteps-halvings(r.highest*share))
	}
	return p
}

// skip takes so many keys and steps out of what the grouping of a warp's lanes costs.
func (b *Bundle) skip(kind impl.Reduction, a *adds, keys, steps float64) {
	p, e := &b.prices[kind], &b.d.Exchange
	a.price = a.and(-1, price{}.and(keys, p.perKey).and(steps, p.step))
	if recipes[kind].matches {
		a.latency -= keys * e.MatchKey.Value
		a.busy -= keys * e.MatchKeyPort.Value
	}
}

// atRandom is the number of so many different targets in the fullest bank where they are spread at
// random: 1 for one, and that of fullestBank for a warp.
func (b *Bundle) atRandom(distinct float64) float64 {
	return 1 + (b.bankAtRandom-1)*max(0, distinct-1)/(b.lanes-1)
}

// rangesUS is the time of a call with private copies of ranges of targets.
func (b *Bundle) rangesUS(c *candidate, e *evaluation) float64 {
	var r ranged
	k := &c.copies
	b.split(k, &e.st, &r)
	g, x := *b.copyGrid(c.v, r.bins*k.bytes+k.padBytes, e), &e.x
	b.rangeGrid(k, &r, &g)
	zero := b.zeroUS(&g.launch, k.number*r.bins+k.padWords, &x[0])
	update := b.updateRanges(k, &e.adds, &r, &g, &x[1], &x[2])
	return r.start + (zero + update + b.flushUS(k, &r.stream, &g, &x[3]))
}

// rangeGrid makes a launch one of as many blocks for each range, which share the stream; where the
// caller fixes the blocks, one of the range with fewest.
func (b *Bundle) rangeGrid(c *copies, r *ranged, g *grid) {
	if b.blocks == 0 {
		g.blocks = max(c.ranges, math.Floor(g.blocks/c.ranges)*c.ranges)
	}
	group := *g
	group.blocks = math.Floor(g.blocks / c.ranges)
	busy := min(group.blocks, ceil(r.updates/g.threads))
	g.busy, g.perBlock = busy*c.ranges, 1/(busy*c.ranges)
	warps := ceil(g.threads / b.lanes)
	g.iterations = ceil(r.iterations / (busy * warps))
	g.invIterations, g.slotIterations = 1/g.iterations, g.iterations*g.busyWaves
	g.united = g.slotIterations * (1 - ceil(g.iterations/b.unroll)/g.iterations)
	if g.uneven = 1; g.iterations > 1 {
		g.uneven = ceil(g.blocks/b.sms) * b.sms / g.blocks
	}
	g.warps = min(warps, r.iterations/busy)
	g.lock = b.burst(&r.stream, &group) / busy * g.busyWaves * b.cycle
	g.targetsUS = b.flushRanges(r, g, &g.flush)
}

// flushRanges is flushTargets for blocks of ranges: each touches the G-th part of what its stretch
// of the stream touches.
func (b *Bundle) flushRanges(r *ranged, g *grid, x *bounds) float64 {
	st := &r.stream
	touched := b.touched(st, max(1, st.positions*r.groups*g.perBlock/float64(st.BlockSize))) / r.groups
	passes := g.blocks * min(touched, ceil(st.bins*b.sectorsPerTarget))
	hot := min(g.blocks/r.groups, st.maxFrequency)
	return b.takeSums(passes, b.chunksOf(touched*r.groups, st), hot, max(hot, passes*st.invSectors), st, x)
}

// updateRanges is updateCopies for the busiest range. Each group streams the indices, and of the
// values the sectors with updates of its range, where they are in L2 since another group asked for
// them. A value is asked for once the index is there.
func (b *Bundle) updateRanges(c *copies, a *adds, r *ranged, g *grid, start, x *bounds) float64 {
	st, p := &r.stream, b.inRange(c.kind, a, r)
	tries, latency, port, lock := b.addCopies(c, &p, st, g)
	all, some := r.groups, r.groups*r.occupied
	valueLoads, valueLatency := 0.0, 0.0
	if b.loads > 1 {
		valueLoads, valueLatency = loadInstructions*(b.loads-1), b.load
	}
	iteration := (st.head + rangeInstructions*b.alu +
		r.occupied*(valueLatency+p.latency+latency)) * b.cycle
	start[boundLatency] = iteration
	x[boundIssue] = (all*(loopInstructions+loadInstructions+rangeInstructions) +
		some*(valueLoads+p.issued+tries)) * st.issue * g.uneven
	x[boundMemory] = b.rangeMemory(r)
	x[boundPort] = some * port * st.perSM * g.uneven
	x[boundLock] = lock
	x[boundExchange] = some * p.busy * st.perSM * g.uneven
	waits := g.united * (st.head - loopInstructions*b.alu) * b.cycle
	x[boundLatency] = (g.slotIterations-1)*iteration - waits
	return iteration + max(x[boundIssue], x[boundMemory], x[boundPort], x[boundLock],
		x[boundExchange], x[boundLatency])
}

// rangeMemory is the time of streaming, from L2 for each group, or once from memory.
func (b *Bundle) rangeMemory(r *ranged) float64 {
	st := &r.stream
	indices, values := st.positions*b.index, st.positions*b.value
	lanes := b.sectorBytes / b.size // of a sector of values
	groups := r.groups * (1 - math.Pow(1-1/r.groups, max(1, lanes*st.sectors*st.invActive)))
	return max(st.streamUS, (indices*r.groups+values*groups)*b.near)
}
