package speedup

import "math"

// A loop in hardware ("spin") adds to a word if no other warp has done so between its
// read and its write. In the time of one of its turns that happens `served` times,
// whatever the number of warps that try.

// served is how many adds to a word come through in the time of a turn: the geometric
// mean of the H200's 24 readings of shared contention, f32 and f64, in which all of 8,
// 16 or 32 warps collide. Each of them says a number between 1.7 and 3.5.
const served = 2.4

// together is the part of what the warps of a block have in common beyond any warps of
// the stream that they still have when they meet: those that wait for each other drift
// apart, to other parts of the stream. It was taken from the recorded calls of the fit
// half, whose choices lose the same with any value.
const together = 0.35

// sharing is the number of a block's warps that add to one copy.
func (c *copies) sharing(g *grid) float64 { return larger(1, g.warps*c.share) }

// overlapped is the part of a turn's time that passes between two adds to a word of so
// many warps that always try. The i-th to come through has waited for a turn at most:
//
//	1/served + (1 - 1/served)/warps
func overlapped(warps float64) float64 { return 1/served + (1-1/served)/warps }

// setMeeting sets the shares of other warps that have the target of a mean update: of
// any warps of the stream (the hottest target's HotWarps, for the others
// DistinctPerWarp/Unique), and of those of the same block at the same time, whose
// targets are on average in BlockSize/WarpSize·DistinctPerWarp/DistinctPerBlock warps.
func (b *Bundle) setMeeting(st *stream) {
	hot, warps := st.maxFrequency/st.updates, larger(2, float64(st.BlockSize)*b.perLane)
	st.near = warps - 1
	st.meet = hot*st.HotWarps + (1-hot)*smaller(1, st.DistinctPerWarp/st.unique)
	st.meetNear = larger(st.meet, (warps*st.DistinctPerWarp/st.DistinctPerBlock-1)/st.near)
}

// others is the number of other warps that have the target of a warp's mean add, of so
// many that share a copy. In their first turn they are neighbours; later a part of what
// neighbours have in common is left.
func (st *stream) others(warps float64, g *grid) float64 {
	together := together + (1-together)*g.first
	return warps*st.meet + smaller(warps, st.near)*together*(st.meetNear-st.meet)
}

// meeting fills in what contend reads of a warp's adds: those to the most frequent
// target weigh as many as they are, the others are taken to be spread evenly.
func (a *adds) meeting() {
	others := larger(1, (a.lanes-a.highest)/larger(1, a.distinct-1))
	a.each = others + (a.highest-others)*smaller(1, a.highest/a.lanes)
	a.wait = math.Log(larger(1, a.distinct))
}

// contend returns the turns of a warp's loop where the other warps of its block add to
// the same copies, from the turns that it takes alone. With x others at a word each
// add takes u = x/served further turns, and a warp with d different targets waits for
// the slowest of them, about the largest of d geometric variables:
//
//	turns = rounds·(1 + u) + ln(d)·sqrt(u·(u+1))
//
// At the word are those of the other warps with this copy that have its target, on
// this copy, and have not added it yet.
func (b *Bundle) contend(c *copies, rounds float64, a *adds, st *stream, g *grid) float64 {
	u := st.others(c.sharing(g)-1, g) * a.each * c.invFull * c.alike(st) / (served * (rounds + a.wait))
	return rounds*(1+u) + a.wait*math.Sqrt(u*(u+1))
}
