package speedup

import (
	"math"
)

// A loop in hardware ("spin") adds to a word if no other warp has done so between its read and its
// write. In the time of one of its iterations that happens ContendedAdds times.

// sharing is the number of a block's warps that add to one copy.
func (c *copies) sharing(g *grid) float64 { return max(1, g.warps*c.share) }

// overlapped is the part of an iteration's time that passes between two adds to a word of so many warps
// that always try, with c = ContendedAdds: an add takes its warp 1 + (warps-1)/c turns,
//
//	(1 + (warps-1)/c)/warps = 1/c + ((c-1)/c)/warps
func (b *Bundle) overlapped(warps float64) float64 {
	c := b.d.Shared.ContendedAdds.Value
	return 1/c + (c-1)/c/warps
}

// setHolders sets the shares of other warps that have the target of a mean update: of any warps
// (HotWarps for the hottest target, or as many as its updates; DistinctPerWarp/Unique for the
// others), and of those of its block, whose targets are in
// BlockSize/WarpSize·DistinctPerWarp/DistinctPerBlock warps each.
func (b *Bundle) setHolders(st *stream) {
	hot, warps := st.maxFrequency/st.updates, float64(st.BlockSize)/b.lanes
	held := st.HotWarps
	if held == 0 {
		held = min(1, hot*st.active)
	}
	st.heldHot = hot * held
	st.heldAny = st.heldHot + (1-hot)*min(1, st.DistinctPerWarp/st.unique)
	st.heldNear = st.heldHot
	if warps = min(warps, st.iterations); warps > 1 {
		st.neighbours = warps - 1
		near := (warps*st.DistinctPerWarp/st.DistinctPerBlock - 1) / st.neighbours
		st.heldNear = max(st.heldHot, min(1, near))
	}
}

// others is the number of warps that have the target of a warp's mean add, of so many others that
// share a copy. In the first iteration neighbours have it, and others the hottest; later any warps, and
// neighbours BlockLocality of what they have in common beyond these.
func (b *Bundle) others(warps float64, st *stream, g *grid) float64 {
	near := min(warps, st.neighbours)
	first := near*st.heldNear + (warps-near)*st.heldHot
	later := warps*st.heldAny + near*b.d.Shared.BlockLocality.Value*max(0, st.heldNear-st.heldAny)
	return later + g.invIterations*(first-later)
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

const mostLanes = 64 // of a warp

// logs are the logarithms of whole numbers.
var logs = func() (table [mostLanes + 2]float64) {
	for n := 1; n < len(table); n++ {
		table[n] = math.Log(float64(n))
	}
	return table
}()

// contendedRounds returns the iterations of a warp's loop where the other warps of its block add to the
// same copies, from the iterations that it takes alone. With x others at a word each add takes u =
// x/ContendedAdds further iterations, and a warp with d different targets waits for the slowest, about
// the largest of d geometric variables:
//
//	turns = rounds·(1 + u) + ln(d)·sqrt(u·(u+1))
//
// At the word are those of the n other warps with this copy that have its target, e times on this
// copy, and have not added it yet: x = n·e/(rounds + ln(d)).
func (b *Bundle) contendedRounds(c *copies, rounds float64, a *adds, st *stream, g *grid) float64 {
	per, others, share := min(1, c.invPerWarp*c.aliasing(st)), c.sharing(g)-1, st.maxFrequency/st.updates
	hot := min(a.highest, share*a.lanes) * per // adds of a warp to the hottest target of a copy
	waiting := b.others(others, st, g) * a.each * per
	waiting += min(1, hot/rounds) * (others*st.heldHot/share*hot - waiting)
	u := waiting / (b.d.Shared.ContendedAdds.Value * (rounds + a.wait))
	return rounds*(1+u) + a.wait*math.Sqrt(u*(u+1))
}

// meeting is how many times longer a lock bit is kept by the adds to a target than Hold for each add
// to one of its copies. The copies of all blocks of an SM lie S = K + P words apart, so that of n
// copies of a target m have one of L lock bits, [gomezluna13] section 2.1.3. The warps of a block of
// 256 threads try in step, so that one of them adds in each iteration of their loop; other blocks, and
// the more warps of a larger block, try in between:
//
//	m = max(1, n·gcd(S, L)/L)
//	meeting = m · max(1, Round/(Hold·tries)), tries = min(m, blocks of the SM)·threads/256
func (b *Bundle) meeting(c *copies, st *stream, g *grid) float64 {
	blocks := max(1, min(g.blocks, g.resident)/b.sms)
	step := (int(st.bins) + int(c.padWords/c.number)) * int(b.words)
	same := max(1, blocks*c.number*float64(gcd(step, int(c.locks)))/c.locks)
	tries := min(same, blocks) * g.threads / directThreads
	return same * max(1, c.round/(c.hold*c.number*tries))
}
