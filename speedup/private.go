package speedup

import (
	"cmp"
	"math"
)

// privateUS is the time of a call with private copies: clearing them, updating
// them, and adding them to the targets.
func (b *Bundle) privateUS(c *candidate, e *evaluation) float64 {
	k, st, x := &c.copies, &e.st, &e.x
	g := b.copyGrid(c.v, st.bins*k.bytes+k.padBytes, e)
	zero := b.zeroUS(&g.launch, k.number*st.bins+k.padWords, &x[0])
	update := b.updateCopies(k, &e.adds, st, g, &x[1], &x[2])
	return st.start + (zero + update + b.flushUS(k, st, g, &x[3]))
}

// updateCopies is the time of adding to the copies: the first iteration of the warps of each wave, in
// which they fill the device, and the rest.
func (b *Bundle) updateCopies(c *copies, a *adds, st *stream, g *grid, start, x *bounds) float64 {
	tries, latency, port, lock := b.addCopies(c, a, st, g)
	iteration := (st.head + a.latency + latency) * b.cycle
	first := iteration * g.busyWaves
	start[boundLatency] = first
	x[boundIssue] = (b.turnInstructions + a.issued + tries) * st.issue * g.uneven
	x[boundMemory] = st.streamUS
	x[boundPort] = port * st.perSM * g.uneven
	x[boundLock] = lock
	x[boundExchange] = a.busy * st.perSM * g.uneven
	waits := g.united * (st.head - loopInstructions*b.alu) * b.cycle
	x[boundLatency] = (g.slotIterations-g.busyWaves)*iteration - waits
	return first + max(x[boundIssue], x[boundMemory], x[boundPort], x[boundLock],
		x[boundExchange], x[boundLatency])
}

// addCopies is what a warp's adds to its copies take in an iteration: warp instructions, cycles of
// latency and of the port; and the microseconds in which the busiest copy of a target takes all
// of its adds.
func (b *Bundle) addCopies(c *copies, a *adds, st *stream, g *grid) (tries, latency, port,
	lock float64) {
	rounds, degree := b.replicate(c, st, a)
	hot := a.hot
	switch {
	case c.cas:
		hot = b.swaps(hot)
	case c.perBank:
		rounds = b.contendedRounds(c, rounds, a, st, g)
	}
	tries, latency, port = c.add(rounds, degree)
	lock = hot * c.hold * c.aliasing(st) * g.lock
	switch {
	case c.perBank:
		lock *= b.overlapped(c.sharing(g))
	case !c.native && !c.merge && !c.cas:
		lock *= b.meeting(c, st, g)
	}
	return tries, latency, port, lock
}

// replicate spreads a warp's adds over its copies and returns the rounds in which they are
// addsPerTurn and the different words in the fullest bank.
//
// The lanes on one target fall on the copies that a warp uses, h/R on each. Neighbours take turns at the copies
// of a cyclic map, so that the fullest one has more by the chance of where the g segments of the hottest target
// begin and end alone: by the fullest of R normal numbers of variance (g - p)/R, p its share of the updates, for
// g - p = h·(1 - p) segments is what lanes at random make. The other conflicts stay:
// what the fullest bank holds beside the most frequent target, bank - highest. Copies whose
// distance is a multiple of the number of banks lie on the same banks; a pad of one word shifts
// each copy by one bank ([gomezluna13] section 3), and spreads a warp as at random.
//
// A native atomic serves the lanes of a bank one by one, a merging one its different words. Locks
// serve the lanes of one lock one by one: with no more locks than banks those of a bank, with more
// of them those of a target and, beyond as many targets as locks, d(d-1)/(2·locks) more that meet
// by aliasing. A compare-and-swap loop waits for equal targets only.
func (b *Bundle) replicate(c *copies, st *stream, a *adds) (rounds, degree float64) {
	highest, bank := a.highest, a.bank
	degree = a.degree
	if c.shared {
		stride := c.stride(st)
		apart := max(0, min(highest, cmp.Or(st.HotSegments, highest))-st.maxFrequency/st.updates)
		spread := func(per float64) float64 { return highest*per + c.spread*math.Sqrt(apart*per) }
		bank = max(min(highest, spread(c.invBanks[stride]))+bank-highest, a.random)
		highest = max(1, min(highest, spread(min(1, c.invPerWarp*c.aliasing(st)))))
		degree = max(degree, bank/highest)
	}
	if b.words > 1 {
		// Half warps are addsPerTurn apart, over half as many banks.
		half := min(degree, 0.5*degree+halfDegree)
		bank, degree = bank*half/degree, half
	}
	if c.ramp != nil && st.ramp > 0 {
		bank, degree = c.onRamp(st, bank, degree, highest)
	}
	switch {
	case c.cas:
		return b.swaps(highest), degree
	case c.native, c.merge, c.perBank:
		return bank, degree
	}
	rounds = highest
	if st.bins*c.number > c.locks {
		rounds = min(a.lanes, rounds+0.5*a.distinct*(a.distinct-1)/c.locks)
	}
	return max(1, rounds), degree
}

// halfDegree is what remains of a conflict within half a warp beside half of it:
// 16 lanes at random over 16 banks meet in 3.1 of 3.5 lanes of a whole warp.
const halfDegree = 1.3

// fullestBank is the number of lanes in the fullest bank where a warp's copies are spread at
// random: from 1 for one target towards the fullest of `banks` bins under `lanes` balls,
// lanes/banks + sqrt(2·lanes/banks·ln banks) [raab98].
func (b *Bundle) fullestBank(a *adds) float64 {
	d := max(1, a.distinct)
	return min(max(1, a.lanes), 1+(b.bankAtRandom-1)*(1-1/d))
}
