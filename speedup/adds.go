package speedup

import (
	"math"

	"github.com/atomtune/atomtune/variant"
)

// countOfReductions is the number of warp reductions, none among them.
const countOfReductions = variant.Match + 1

// adds are the atomic adds that a mean warp issues per turn once it has
// reduced its updates.
type adds struct {
	lanes    float64 // adds per turn
	highest  float64 // adds to one target
	distinct float64 // different targets
	sectors  float64 // sectors of the target array
	passes   float64 // sector passes
	degree   float64 // different targets in the fullest bank
	bank     float64 // adds in the fullest bank
	random   float64 // adds in the fullest bank where copies spread them at random
	hot      float64 // adds to the most frequent target, whole stream
	chunk    float64 // share of the passes that goes to the busiest chunk
	each     float64 // adds to the target of a mean add
	wait     float64 // ln(different targets)
}

// effort is what a warp reduction costs per turn, and what it leaves.
type effort struct {
	instructions, exchange, latency float64 // warp instructions, cycles of the exchange port, cycles
	share                           float64 // of the turns in which the warp reduces
	lanes, hot                      float64 // adds that are left: per turn, and to the most frequent target of the stream
}

// addsBy returns the adds of an implementation's way to reach the targets, worked
// out when first asked for, or each time where the implementation has parameters
// of its own. Where the host re-lays whole warps (sr+ss), each warp keeps its
// updates, so its adds are those of sr. Call effortOf first.
func (b *Bundle) addsBy(c *candidate, st *stream) *adds {
	if !st.known[c.way%ways] {
		b.reduce(c, st)
	}
	return &st.adds[c.way%ways]
}

// reduce fills in the adds of a way: those of naive, and what it leaves of them.
func (b *Bundle) reduce(c *candidate, st *stream) {
	plain := &st.adds[variant.None]
	if !st.known[variant.None] {
		b.unreduced(st, plain)
		st.known[variant.None] = true
	}
	if c.way == uint8(variant.None) {
		return
	}
	a := &st.adds[c.way%ways]
	*a = *plain
	st.known[c.way%ways] = c.way != byParameters
	switch e := &st.efforts[c.way%ways]; {
	case c.way == byScatter:
		b.scatter(st, a)
	case c.v.Reduction == variant.SR:
		b.scanReduce(e, st, a)
	case c.v.Reduction == variant.VR:
		b.voteReduce(e, st, a)
	default:
		b.groupReduce(e, st, a)
	}
	a.merge(st)
	if b.spread[c.way%ways] {
		a.random = b.fullestBank(a)
	}
	if b.contended {
		a.meeting()
	}
}

// unreduced are the adds of `naive`: every lane adds for itself.
func (b *Bundle) unreduced(st *stream, a *adds) {
	a.lanes = st.full
	a.highest = st.highest
	a.distinct = st.DistinctPerWarp
	a.degree, a.bank = st.BankDegree, larger(st.BankLanes, a.highest)
	a.hot = st.maxFrequency
	a.sectors, a.passes = st.sectors, st.SectorPasses4
	if b.wide {
		a.passes = st.SectorPasses8
	}
	a.chunk = st.chunkShare
	a.merge(st)
	if b.spread[variant.None] {
		a.random = b.fullestBank(a)
	}
	if b.contended {
		a.meeting()
	}
}

// keep scales the conflicts of a warp whose equal targets were reduced to a part
// of them: rest is the share of the duplicates that is left, 0 where each
// target stands once, 1 where nothing was reduced. A warp whose targets all
// differ sends one pass per sector, and at most one chunk's worth of sectors
// to one chunk.
func (a *adds) keep(rest float64, st *stream) {
	if single := st.oneChunk; single < a.chunk {
		a.chunk = single + (a.chunk-single)*rest
	}
	a.highest = 1 + (a.highest-1)*rest
	a.passes = a.sectors + larger(0, a.passes-a.sectors)*rest
	a.bank = a.degree + larger(0, a.bank-a.degree)*rest
}

// spare lowers the share of the busiest chunk where a reduction spares its
// targets: the adds that it can still get are the hot ones that are left, and of those
// to its other targets, which are no rarer than the mean, as large a part as of all.
func (a *adds) spare(part float64, st *stream) {
	left := (st.chunkFrequency-st.maxFrequency)*part + a.hot
	if all := st.turns * a.passes; left < a.chunk*all {
		a.chunk = larger(0, left) / all
	}
}

// merge lowers the share of the busiest chunk where its adds meet in sectors and those
// elsewhere do not: it has the passes that are more than the warp has lanes elsewhere, and at
// least as many for a sector as the warp's mean one. With fewer passes than lanes elsewhere, those
// meet, too, and the share is taken to be that of the lanes.
func (a *adds) merge(st *stream) {
	more := a.passes - st.elsewhere
	if more < 0 {
		return
	}
	if passes := larger(more, st.chunkSectors*a.passes/st.sectors); passes < a.chunk*a.passes {
		a.chunk = passes / a.passes
	}
}

// effortOf returns what an implementation's warp reduction costs, worked out when
// first asked for, or each time where the implementation has parameters of its own.
func (b *Bundle) effortOf(c *candidate, st *stream) *effort {
	if !st.spent[c.way%ways] {
		b.spend(c, st)
	}
	return &st.efforts[c.way%ways]
}

// spend fills in the effort of a reduction.
func (b *Bundle) spend(c *candidate, st *stream) {
	st.spent[c.way%ways] = c.way != byParameters
	e := &st.efforts[c.way%ways]
	switch c.v.Reduction {
	case variant.SR:
		b.scan(c, st, e)
		e.add(&b.prices[variant.SR], 0, st.tree)
	case variant.VR:
		b.vote(c, st, e)
	default:
		b.group(c, st, e)
	}
}

// add sets the cost of a reduction: its set-up, its loop over the keys, and in
// its share of the turns its entry and its steps.
func (e *effort) add(p *prices, keys, steps float64) {
	e.instructions = p.setup.issued + keys*p.perKey.issued + e.share*(p.enter.issued+steps*p.step.issued)
	e.exchange = p.setup.busy + keys*p.perKey.busy + e.share*(p.enter.busy+steps*p.step.busy)
	e.latency = p.setup.latency + keys*p.perKey.latency + e.share*(p.enter.latency+steps*p.step.latency)
}

// scanning is the share of the warps that reduce by segments of t lanes or more,
// min(1, lanes that end t equal neighbours or more), as if each lane went on with
// its neighbour's target with probability ClusteredFraction; and for t > 2 no
// larger than reaching says.
func (b *Bundle) scanning(c *candidate, st *stream) float64 {
	gone := st.full * st.ClusteredFraction
	if c.threshold <= variant.SegmentThreshold {
		return smaller(1, gone)
	}
	active := smaller(1, gone*math.Pow(st.ClusteredFraction, c.threshold-variant.SegmentThreshold))
	return smaller(active, b.reaching(c.threshold, st))
}

// scan fills in what is left of a warp's adds: one per segment of neighbouring
// equal targets in warps with a segment of t lanes or more, [egielski14] Algorithm
// 1: with t = 2, where no warp is left out, lanes·(1-ClusteredFraction) a warp. The
// scan takes log2 steps of the most frequent target's lanes.
func (b *Bundle) scan(c *candidate, st *stream, e *effort) {
	e.share = b.scanning(c, st)
	gone := st.full * st.ClusteredFraction
	if c.threshold > variant.SegmentThreshold {
		gone *= e.share
	}
	e.lanes = larger(smaller(st.DistinctPerWarp, st.full), st.full-gone)
	left := st.maxFrequency * e.lanes * st.invFull
	if st.hotSegments > 0 {
		// All warps that were not left out keep one add per stretch.
		left = st.maxFrequency
		if gone > 0 {
			left -= larger(0, st.maxFrequency-st.hotSegments) * gone / (st.full * st.ClusteredFraction)
		}
	}
	e.hot = larger(1, left)
}

// scanReduce leaves one add per segment, see scan.
func (b *Bundle) scanReduce(e *effort, st *stream, a *adds) {
	full := a.lanes
	rest := 0.0
	if full > a.distinct {
		rest = smaller(1, (e.lanes-a.distinct)/(full-a.distinct))
	}
	a.keep(rest, st)
	a.lanes, a.hot = e.lanes, e.hot
	a.spare(e.lanes*st.invFull, st)
}

// reaching is the share of the warps whose most frequent target has as many lanes
// as a threshold asks. The statistics hold only the mean of that highest
// multiplicity: the share is taken to rise linearly over a quarter of the warp's
// lanes around it.
func (b *Bundle) reaching(threshold float64, st *stream) float64 {
	return larger(0, smaller(1, (st.highest-threshold)*b.voteSlope+0.5))
}

// voting is the share of the warps that reduce the lanes of a sampled target, and
// the samples drawn. A lane is drawn at random, so it meets the most frequent
// target of the warp with probability p = highest/lanes, and one of m samples does
// with about 1-(1-p)^m. Other targets that reach a low threshold are left out. A
// sample takes the mean number of lanes of a target out of the draw, and none is
// drawn once fewer than the threshold are left.
func (b *Bundle) voting(c *candidate, st *stream) (share, drawn float64) {
	met, drawn := smaller(1, st.highest*st.invFull), 1.0
	if c.samples > 1 {
		met = 1 - math.Pow(1-met, c.samples)
		drawn += larger(0, smaller(c.samples-1, (st.full-c.threshold)*st.DistinctPerWarp*st.invFull))
	}
	return b.reaching(c.threshold, st) * met, drawn
}

// vote fills in what is left of a warp's adds where the lanes of a sampled target
// are reduced to one if there are enough of them, [egielski14] Algorithm 2.
func (b *Bundle) vote(c *candidate, st *stream, e *effort) {
	var drawn float64
	e.share, drawn = b.voting(c, st)
	e.lanes = larger(1, st.full-e.share*(st.highest-1))
	e.hot = larger(1, larger(st.maxFrequency*(1-e.share), st.maxFrequency*st.invFull))
	e.add(&b.prices[variant.VR], drawn-1, st.tree)
}

// voteReduce leaves what vote says.
func (b *Bundle) voteReduce(e *effort, st *stream, a *adds) {
	gone := e.share * (a.highest - 1)
	a.lanes, a.hot = e.lanes, e.hot
	a.bank = larger(a.degree, a.bank-gone)
	a.passes = larger(a.sectors, a.passes-gone)
	a.spare(1, st)
	a.highest = larger(1, a.highest-gone)
}

// group fills in what is left of a warp's adds: one per different target of the
// warp, [westphal15], found by a loop over the keys (peers) or by the match
// instruction, and summed in log2 steps of the largest group. The most frequent
// target is added once by each warp that has it: HotWarps of them, or where that
// is not known at most once a warp, and in the mean MaxFrequency·distinct/lanes
// times.
func (b *Bundle) group(c *candidate, st *stream, e *effort) {
	distinct := st.DistinctPerWarp
	perUpdate := st.maxFrequency * st.invFull
	e.share, e.lanes = 1, larger(1, distinct)
	e.hot = larger(perUpdate, smaller(st.turns, perUpdate*distinct))
	if st.hotWarps > 0 {
		e.hot = larger(perUpdate, st.hotWarps)
	}
	if c.v.Reduction == variant.Peers {
		e.add(&b.prices[variant.Peers], distinct, st.tree)
		return
	}
	e.add(&b.prices[variant.Match], 0, st.tree)
	e.instructions++
	e.latency += b.match + b.matchKey*distinct
	e.exchange += b.matchPort + b.matchKeyPort*distinct
}

// groupReduce leaves what group says.
func (b *Bundle) groupReduce(e *effort, st *stream, a *adds) {
	a.hot = e.hot
	a.keep(0, st)
	a.spare(smaller(1, a.distinct*st.invFull), st)
	a.lanes = e.lanes
}

// scatter leaves the adds of `ss`: the host has dealt the updates round-robin over
// the targets in ascending order, [egielski14] Algorithm 3. Neighbouring lanes
// get neighbouring targets while there are any; the most frequent target's
// updates beyond the mean frequency stand alone at the end, a warp on one
// target. The two parts are averaged over the stream.
func (b *Bundle) scatter(st *stream, a *adds) {
	full := a.lanes
	alone := smaller(1, larger(0, a.hot-st.updates/st.unique)/st.updates)
	distinct := smaller(full, st.unique)
	each := full / distinct
	sectors := larger(1, smaller(distinct, distinct*b.sectorsPerTarget*st.bins/st.unique))
	mix := func(spread, single float64) float64 { return spread + (single-spread)*alone }
	a.highest = mix(each, full)
	a.distinct = mix(distinct, 1)
	a.sectors = mix(sectors, 1)
	a.passes = mix(sectors*each, full)
	a.degree = mix(larger(1, distinct/b.banks), 1)
	a.bank = mix(larger(1, distinct/b.banks)*each, full)
}
