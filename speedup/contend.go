package speedup

import "math"

// A loop in hardware ("spin") adds to a word if no other warp has done so between its
// read and its write. In the time of one of its turns that happens `addsPerTurn` times,
// whatever the number of warps that try.

// addsPerTurn is how many adds to a word come through in the time of a turn: the geometric
// mean of the H200's 24 readings of shared contention, f32 and f64, in which all of 8,
// 16 or 32 warps collide. Each of them says a number between 1.7 and 3.5.
const addsPerTurn = 2.4

// blockLocality is the part of its targets that a block's warps keep in common, beyond what
// any warps of the stream have in common, once they have waited for each other and are at
// different parts of the stream. It was taken from the recorded calls of the fit half,
// whose choices lose the same with any value.
const blockLocality = 0.35

// sharing is the number of a block's warps that add to one copy.
func (c *copies) sharing(g *grid) float64 { return max(1, g.warps*c.share) }

// overlapped is the part of a turn's time that passes between two adds to a word of so
// many warps that always try: an add takes its warp 1 + (warps-1)/addsPerTurn turns, and all
// warps take theirs at once.
//
//	(1 + (warps-1)/addsPerTurn)/warps = 1/addsPerTurn + (1 - 1/addsPerTurn)/warps
func overlapped(warps float64) float64 { return 1/addsPerTurn + (1-1/addsPerTurn)/warps }

// setHolders sets the shares of other warps that have the target of a mean update: of
// any warps of the stream (HotWarps for the hottest target, or where they are not known
// as many as its updates; DistinctPerWarp/Unique for the others), and of those of the
// same block at the same time, whose targets are on average in
// BlockSize/WarpSize·DistinctPerWarp/DistinctPerBlock warps.
func (b *Bundle) setHolders(st *stream) {
	hot, warps := st.maxFrequency/st.updates, float64(st.BlockSize)/b.lanes
	held := st.HotWarps
	if held == 0 {
		held = min(1, hot*st.active)
	}
	st.heldHot = hot * held
	st.heldAny = st.heldHot + (1-hot)*min(1, st.DistinctPerWarp/st.unique)
	st.heldNear = st.heldHot
	if warps = min(warps, st.turns); warps > 1 {
		st.neighbours = warps - 1
		near := (warps*st.DistinctPerWarp/st.DistinctPerBlock - 1) / st.neighbours
		st.heldNear = max(st.heldHot, min(1, near))
	}
}

// others is the number of warps that have the target of a warp's mean add, of so many
// others that share a copy. In the first of their turns neighbours have it, and others
// the hottest; later any warps, and neighbours blockLocality of what they have in common
// beyond these.
func (st *stream) others(warps float64, g *grid) float64 {
	near := min(warps, st.neighbours)
	first := near*st.heldNear + (warps-near)*st.heldHot
	later := warps*st.heldAny + near*blockLocality*max(0, st.heldNear-st.heldAny)
	return later + g.invTurns*(first-later)
}

// setContention fills in what contendedRounds reads of a warp's adds: those to the most frequent
// target weigh as many as they are, the others are taken to be spread evenly.
func (a *adds) setContention() {
	others := max(1, (a.lanes-a.highest)/max(1, a.distinct-1))
	a.each = others + (a.highest-others)*min(1, a.highest/a.lanes)
	whole := min(max(1, a.distinct), mostLanes)
	below := int(whole)
	a.wait = logs[below] + (whole-float64(below))*(logs[below+1]-logs[below])
}

// mostLanes bounds the different targets of a warp.
const mostLanes = 64

// logs are the logarithms of whole numbers.
var logs = func() (table [mostLanes + 2]float64) {
	for n := 1; n < len(table); n++ {
		table[n] = math.Log(float64(n))
	}
	return table
}()

// contendedRounds returns the turns of a warp's loop where the other warps of its block add to
// the same copies, from the turns that it takes alone. With x others at a word each
// add takes u = x/addsPerTurn further turns, and a warp with d different targets waits for
// the slowest of them, about the largest of d geometric variables:
//
//	turns = rounds·(1 + u) + ln(d)·sqrt(u·(u+1))
//
// At the word are those of the n other warps with this copy that have its target, e times
// on this copy, and have not added it yet: x = n·e/(rounds + ln(d)).
func (b *Bundle) contendedRounds(c *copies, rounds float64, a *adds, st *stream, g *grid) float64 {
	each := a.each * min(1, c.invPerWarp*c.aliasing(st))
	u := st.others(c.sharing(g)-1, g) * each / (addsPerTurn * (rounds + a.wait))
	return rounds*(1+u) + a.wait*math.Sqrt(u*(u+1))
}
