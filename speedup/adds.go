package speedup

import (
	"math"

	"github.com/atomtune/atomtune/variant"
)

// countOfReductions is the number of warp reductions, none among them.
const countOfReductions = variant.Match + 1

// adds are the atomic adds that a mean warp issues per turn once it has
// reduced its updates, and what the reduction costs.
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

	instructions, exchange, latency float64 // of the reduction, per turn
}

// addsBy returns the adds of an implementation's way to reach the targets, worked
// out when first asked for, or each time where the implementation has parameters
// of its own. Where the host re-lays whole warps (sr+ss), each warp keeps its
// updates, so its adds are those of sr.
func (b *Bundle) addsBy(c *candidate, st *stream) *adds {
	if c.way == byParameters || st.known>>c.way&1 == 0 {
		b.reduce(c, st)
	}
	return &st.adds[c.way]
}

// reduce fills in the adds of a way: those of naive, and what it leaves of them.
func (b *Bundle) reduce(c *candidate, st *stream) {
	a := &st.adds[c.way]
	st.known |= 1 << c.way
	b.unreduced(st, a)
	switch {
	case c.way == byScatter:
		b.scatter(st, a)
	case c.v.Reduction == variant.SR:
		b.scanReduce(c, st, a)
	case c.v.Reduction == variant.VR:
		b.voteReduce(c, st, a)
	case c.v.Reduction != variant.None:
		b.groupReduce(c.way, st, a)
	}
	if b.spread[c.way] {
		a.random = b.fullestBank(a)
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
	a.instructions, a.exchange, a.latency = 0, 0, 0
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

// spend sets the cost of a reduction: its set-up, its loop over the keys, and in
// the share active of the turns its entry and its steps.
func (a *adds) spend(p *prices, keys, active, steps float64) {
	a.instructions = p.setup.issued + keys*p.perKey.issued + active*(p.enter.issued+steps*p.step.issued)
	a.exchange = p.setup.busy + keys*p.perKey.busy + active*(p.enter.busy+steps*p.step.busy)
	a.latency = p.setup.latency + keys*p.perKey.latency + active*(p.enter.latency+steps*p.step.latency)
}

// scanReduce leaves one add per segment of neighbouring equal targets in warps
// with a segment of t lanes or more, [egielski14] Algorithm 1: with t = 2, where
// no warp is left out, lanes·(1-ClusteredFraction) a warp. The share of the warps
// that reduce is taken as min(1, lanes that end t equal neighbours or more), as if
// each lane went on with its neighbour's target with probability
// ClusteredFraction; and for t > 2 no larger than reaching says. The scan takes
// log2 steps of the most frequent target's lanes.
func (b *Bundle) scanReduce(c *candidate, st *stream, a *adds) {
	full := a.lanes
	gone := full * st.ClusteredFraction
	active := smaller(1, gone)
	if c.threshold > variant.SegmentThreshold {
		active = smaller(1, gone*math.Pow(st.ClusteredFraction, c.threshold-variant.SegmentThreshold))
		active = smaller(active, b.reaching(c.threshold, a))
		gone *= active
	}
	segments := larger(smaller(a.distinct, full), full-gone)
	rest := 0.0
	if full > a.distinct {
		rest = smaller(1, (segments-a.distinct)/(full-a.distinct))
	}
	a.keep(rest, st)
	a.lanes = segments
	left := a.hot * segments * st.invFull
	if st.hotSegments > 0 {
		// All warps that were not left out keep one add per stretch.
		left = a.hot
		if gone > 0 {
			left -= larger(0, a.hot-st.hotSegments) * gone / (full * st.ClusteredFraction)
		}
	}
	a.hot = larger(1, left)
	a.spare(segments*st.invFull, st)
	a.spend(&b.prices[variant.SR], 0, active, st.tree)
}

// reaching is the share of the warps whose most frequent target has as many lanes
// as a threshold asks. The statistics hold only the mean of that highest
// multiplicity: the share is taken to rise linearly over a quarter of the warp's
// lanes around it.
func (b *Bundle) reaching(threshold float64, a *adds) float64 {
	return larger(0, smaller(1, (a.highest-threshold)*b.voteSlope+0.5))
}

// voteReduce reduces the lanes of a sampled target to one where there are
// enough of them, [egielski14] Algorithm 2. A lane is drawn at random, so it
// meets the most frequent target of the warp with probability p = highest/lanes,
// and one of m samples does with about 1-(1-p)^m. Other targets that reach a low
// threshold are left out. A sample takes the mean number of lanes of a target out
// of the draw, and none is drawn once fewer than the threshold are left.
func (b *Bundle) voteReduce(c *candidate, st *stream, a *adds) {
	full := a.lanes
	met, drawn := smaller(1, a.highest*st.invFull), 1.0
	if c.samples > 1 {
		met = 1 - math.Pow(1-met, c.samples)
		drawn += larger(0, smaller(c.samples-1, (full-c.threshold)*a.distinct*st.invFull))
	}
	share := b.reaching(c.threshold, a) * met
	gone := share * (a.highest - 1)
	a.lanes = larger(1, full-gone)
	a.hot = larger(1, larger(a.hot*(1-share), a.hot*st.invFull))
	a.bank = larger(a.degree, a.bank-gone)
	a.passes = larger(a.sectors, a.passes-gone)
	a.spare(1, st)
	a.highest = larger(1, a.highest-gone)
	a.spend(&b.prices[variant.VR], drawn-1, share, st.tree)
}

// groupReduce leaves one add per different target of the warp, [westphal15]:
// found by a loop over the keys (peers) or by the match instruction, and summed
// in log2 steps of the largest group. The most frequent target is added once
// by each warp that has it: HotWarps of them, or where that is not known at most
// once a warp, and in the mean MaxFrequency·distinct/lanes times.
func (b *Bundle) groupReduce(way int, st *stream, a *adds) {
	perUpdate := a.hot * st.invFull
	a.hot = larger(perUpdate, smaller(st.turns, perUpdate*a.distinct))
	if st.hotWarps > 0 {
		a.hot = larger(perUpdate, st.hotWarps)
	}
	a.keep(0, st)
	a.spare(smaller(1, a.distinct*st.invFull), st)
	a.lanes = larger(1, a.distinct)
	if way == int(variant.Peers) {
		a.spend(&b.prices[variant.Peers], a.distinct, 1, st.tree)
		return
	}
	a.spend(&b.prices[variant.Match], 0, 1, st.tree)
	a.instructions++
	a.latency += b.match + b.matchKey*a.distinct
	a.exchange += b.matchPort + b.matchKeyPort*a.distinct
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
