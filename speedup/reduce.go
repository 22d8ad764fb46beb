package speedup

import (
	"math"

	"github.com/atomtune/atomtune/impl"
)

// adds are the atomic adds that a mean warp issues per iteration once it has reduced
// its updates, and what the reduction costs.
type adds struct {
	lanes    float64 // adds per iteration
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

	price // of the reduction, per iteration
}

// reduction is a way to lower a warp's collisions before its adds.
type reduction struct {
	parameters
	places []int // of the implementations that use it, in the bundle's list
}

// parameters are a kind of reduction with its parameters.
type parameters struct {
	kind               impl.Reduction
	scattered          bool // the host has distributed the updates over the targets
	threshold, samples float64
	scope              impl.Scope
	masks              impl.Masks
}

// setPlain sets the adds of `naive`: every lane adds for itself.
func (b *Bundle) setPlain(st *stream) {
	st.plain = adds{lanes: st.active, highest: st.highest, distinct: st.DistinctPerWarp,
		degree: st.BankDegree, bank: max(st.BankLanes, st.highest), hot: st.maxFrequency,
		sectors: st.sectors, passes: st.SectorPassesPerWarp4, chunk: st.chunkShare}
	if b.wide {
		st.plain.passes = st.SectorPassesPerWarp8
	}
	b.finish(st, &st.plain)
}

// finish sets what follows from the other fields.
func (b *Bundle) finish(st *stream, a *adds) {
	a.coalesceChunk(st)
	a.random = b.fullestBank(a)
	a.setContention()
}

// thin scales the conflicts of a warp whose equal targets were reduced to a part of them: rest is
// the share of the duplicates that is left. A warp whose targets all differ sends one pass per
// sector, and at most one chunk's worth of sectors to one chunk.
func (a *adds) thin(rest float64, st *stream) {
	if single := st.chunkCapacity; single < a.chunk {
		a.chunk = single + (a.chunk-single)*rest
	}
	a.highest = 1 + (a.highest-1)*rest
	a.passes = a.sectors + max(0, a.passes-a.sectors)*rest
	a.bank = a.degree + max(0, a.bank-a.degree)*rest
}

// capChunk lowers the share of the busiest chunk where a reduction leaves fewer adds to its
// targets: the hot ones that are left, and of those to its other targets as large a part as of all.
func (a *adds) capChunk(part float64, st *stream) {
	left := (st.chunkFrequency-st.maxFrequency)*part + a.hot
	if all := st.iterations * a.passes; left < a.chunk*all {
		a.chunk = max(0, left) / all
	}
}

// coalesceChunk lowers the share of the busiest chunk where its adds meet in sectors and those
// elsewhere do not: it has the passes that are more than the warp has lanes elsewhere, and at least
// as many for a sector as the warp's mean one.
func (a *adds) coalesceChunk(st *stream) {
	more := a.passes - st.lanesElsewhere
	if more < 0 {
		return
	}
	if passes := max(more, st.chunkSectors*a.passes/st.sectors); passes < a.chunk*a.passes {
		a.chunk = passes / a.passes
	}
}

// charge sets the cost of a reduction: its set-up, its loop over the keys, and in
// a share of the turns its entry and its steps.
func (a *adds) charge(p *prices, keys, share, steps float64) {
	a.price = p.setup.and(keys, p.perKey).and(share, p.enter.and(steps, p.step))
}

// scan leaves one add per segment of neighbouring equal targets in warps with a
// segment of t lanes or more, [egielski14] Algorithm 1: with t = 2, where no warp is
// left out, lanes·(1-ClusteredFraction) a warp. The scan takes log2 steps of the most
// frequent target's lanes.
func (b *Bundle) scan(r *reduction, st *stream, a *adds) {
	share, clustered := b.scanning(r, st), st.active*st.ClusteredFraction
	gone := clustered
	if r.threshold > impl.SegmentThreshold {
		gone *= share
	}
	lanes := max(min(st.DistinctPerWarp, st.active), st.active-gone)
	hot := st.maxFrequency * lanes * st.invActive
	if st.hotSegments > 0 {
		// All warps that were not left out keep one add per stretch.
		hot = st.maxFrequency
		if gone > 0 {
			hot -= max(0, st.maxFrequency-st.hotSegments) * gone / clustered
		}
	}
	rest := 0.0
	if a.lanes > a.distinct {
		rest = min(1, (lanes-a.distinct)/(a.lanes-a.distinct))
	}
	a.thin(rest, st)
	a.lanes, a.hot = lanes, max(1, hot)
	a.charge(&b.prices[r.kind], 0, share, st.treeSteps)
	if r.scope == impl.BlockScope {
		b.joinWarps(clustered, share, st, a)
	}
	a.capChunk(a.lanes*st.invActive, st)
}

// joinWarps reduces what the warps of a block have left of their first and last segments, with
// scope=block. A warp's first lane goes on with the target of the lane before it as often as its other
// lanes do, c = clustered/(lanes - 1), but not the block's first one, so that of W warps with n
// segments each
//
//	1 - c·(W-1)/(W·n)
//
// of the adds are left. Of the hottest target, with f updates in s segments of all warps of L lanes, s - r go on
// from one warp to the next, where r = (s - f/L)/(1 - 1/L) is how often updates of it follow upon another's. Each iteration ends when all warps have handed over and the first one has scanned
// their sums.
func (b *Bundle) joinWarps(clustered, share float64, st *stream, a *adds) {
	warps, scan := b.small.warps, &b.records
	c := min(1, clustered/max(1, st.active-1))
	left := 1 - c*share*(warps-1)/(warps*a.lanes)
	hot := a.hot * left
	if st.hotSegments > 0 && st.invActive < 1 {
		runs := (st.hotSegments - st.maxFrequency*st.invActive) / (1 - st.invActive)
		hot = a.hot - share*max(0, st.hotSegments-runs)*(warps-1)/warps
	}
	a.lanes, a.hot = a.lanes*left, max(1, hot)
	a.distinct, a.sectors, a.passes = a.distinct*left, a.sectors*left, a.passes*left
	second := scan.setup.and(share, scan.enter.and(math.Log2(impl.WarpRecords*warps), scan.step))
	handed := joining.price(&b.rates)
	a.issued += handed.issued + second.issued/warps
	a.busy += second.busy / warps
	a.latency += handed.latency + b.barrier + 2*b.sharedLoad + second.latency
}

// joining are a warp's instructions to clear its records and hand them over, to load them and to find
// the set of the next iteration.
var joining = count{alu: 28}

// scanning is the share of the warps that reduce by segments of t lanes or more, min(1, lanes that
// end t equal neighbours or more), as if each lane went on with its neighbour's target with
// probability ClusteredFraction; for t > 2 no larger than reaching.
func (b *Bundle) scanning(r *reduction, st *stream) float64 {
	ends := st.active * st.ClusteredFraction
	if r.threshold <= impl.SegmentThreshold {
		return min(1, ends)
	}
	ends *= math.Pow(st.ClusteredFraction, r.threshold-impl.SegmentThreshold)
	return min(1, ends, b.reaching(r.threshold, st))
}

// reaching is the share of the warps whose most frequent target has as many lanes as a threshold
// asks. The statistics hold only the mean: the share is taken to rise linearly over a quarter of
// the warp's lanes around it.
func (b *Bundle) reaching(threshold float64, st *stream) float64 {
	width := b.lanes / 4
	return max(0, min(1, (st.highest-threshold)/width+0.5))
}

// vote reduces the lanes of a sampled target to one add if there are enough of them,
// [egielski14] Algorithm 2.
func (b *Bundle) vote(r *reduction, st *stream, a *adds) {
	share, drawn := b.voting(r, st)
	gone := share * (a.highest - 1)
	a.lanes = max(1, st.active-gone)
	a.hot = max(1, st.maxFrequency*(1-share), st.maxFrequency*st.invActive)
	a.bank = max(a.degree, a.bank-gone)
	a.passes = max(a.sectors, a.passes-gone)
	a.capChunk(1, st)
	a.highest = max(1, a.highest-gone)
	a.charge(&b.prices[r.kind], drawn-1, share, st.treeSteps)
}

// voting is the share of the warps that reduce the lanes of a sampled target, and the samples
// drawn. A lane drawn at random meets the most frequent target with probability p = highest/lanes,
// one of m samples with about 1-(1-p)^m. A sample takes the mean number of lanes of a target out of
// the draw, and none is drawn once fewer than the threshold are left.
func (b *Bundle) voting(r *reduction, st *stream) (share, drawn float64) {
	met, drawn := min(1, st.highest*st.invActive), 1.0
	if r.samples > 1 {
		met = 1 - math.Pow(1-met, r.samples)
		left := (st.active - r.threshold) * st.DistinctPerWarp * st.invActive
		drawn += max(0, min(r.samples-1, left))
	}
	return b.reaching(r.threshold, st) * met, drawn
}

// group leaves one add per different target of the warp [westphal15], found by a loop over so many
// keys, and summed in log2 steps. The most frequent target is added once by each warp that has it:
// HotWarps of them, or where that is not known MaxFrequency·distinct/lanes, at most once a warp.
func (b *Bundle) group(r *reduction, keys float64, st *stream, a *adds) {
	distinct, warp := st.DistinctPerWarp, st.maxFrequency*st.invActive
	a.hot = max(warp, min(st.iterations, warp*distinct))
	if st.hotWarps > 0 {
		a.hot = max(warp, st.hotWarps)
	}
	a.thin(0, st)
	a.capChunk(min(1, distinct*st.invActive), st)
	a.lanes = max(1, distinct)
	a.charge(&b.prices[r.kind], keys, 1, st.treeSteps)
}

// matchGroups is group with the match instruction in place of the loop.
func (b *Bundle) matchGroups(r *reduction, st *stream, a *adds) {
	b.group(r, 0, st, a)
	e := &b.d.Exchange
	a.issued++
	a.latency += e.MatchLatency.Value + e.MatchKey.Value*st.DistinctPerWarp
	a.busy += e.MatchPort.Value + e.MatchKeyPort.Value*st.DistinctPerWarp
}

// scatter leaves the adds of `ss`: the host has distributed the updates round-robin over the
// targets in ascending order, [egielski14] Algorithm 3. Neighbouring lanes get neighbouring targets
// while there are any; the most frequent target's updates beyond the mean frequency stand alone at
// the end. The two parts are averaged over the stream.
func (b *Bundle) scatter(st *stream, a *adds) {
	full := a.lanes
	alone := min(1, max(0, a.hot-st.updates/st.unique)/st.updates)
	distinct := min(full, st.unique)
	each := full / distinct
	sectors := max(1, min(distinct, distinct*b.sectorsPerTarget*st.bins/st.unique))
	mix := func(spread, single float64) float64 {
		return spread + (single-spread)*alone
	}
	a.highest = mix(each, full)
	a.distinct = mix(distinct, 1)
	a.sectors = mix(sectors, 1)
	a.passes = mix(sectors*each, full)
	a.degree = mix(max(1, distinct/b.banks), 1)
	a.bank = mix(max(1, distinct/b.banks)*each, full)
}
