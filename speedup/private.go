package speedup

import "github.com/atomtune/atomtune/variant"

// copiesUS is the time of a call with private copies: clearing them, updating
// them, and adding them to the targets. Or a part of that which exceeds the limit:
// the same where no lane of a warp waits for another, and no target for a block.
func (p *Pricing) copiesUS(c *candidate, limit float64) float64 {
	b, st, k := p.b, &p.st, &c.copies
	g := &p.grids.small
	if need := k.need(st); need > b.smallBytes || g.perSM == 0 {
		g = b.launch(need, st, &p.grids)
	}
	zero, flush := b.zeroUS(g, k.number*st.bins+k.padWords, &p.x[0]), g.flushUS(k, b.flushedUS, &p.x[3])
	e, least := &st.efforts[variant.None], g.leastUS
	if c.family == Merged {
		e = b.effortOf(c, st)
		least = b.leastUpdate(st, g.turns, b.turnInstructions+e.instructions+k.leastTries, e.exchange, e.latency+k.leastLatency)
	}
	if us := st.lead + (zero + least + flush); us > limit {
		return us
	}
	if g.targets < 0 {
		b.setTargets(g, st, &p.x[3])
	}
	update := b.updateCopies(k, b.addsBy(c, st), e, st, g, &p.x)
	return st.lead + (zero + update + larger(flush, g.targets))
}

// leastUpdate is the time of adding to the copies where a warp's turn takes so many
// instructions, and cycles of the exchange port and of latency beside its head,
// and no lane waits for another.
func (b *Bundle) leastUpdate(st *stream, turns, instructions, exchange, latency float64) float64 {
	if !st.sound {
		return 0
	}
	turn := (st.head + latency) * b.cycle
	busy := larger(larger(st.stream, instructions*st.issue), larger(exchange*st.perSM, (turns-1)*turn))
	return (turn + busy) * rounded
}

// updateCopies is the time of adding to the copies: the first turn of the warps,
// in which they fill the device, and the rest.
func (b *Bundle) updateCopies(c *copies, a *adds, e *effort, st *stream, g *grid, phases *phaseBounds) float64 {
	rounds, degree := b.replicate(c, st, a)
	if c.way == addByBank {
		rounds = b.contend(c, rounds, a, st, g)
	}
	tries, latency, port := c.addDirect(rounds)
	if c.way != addNative {
		tries, latency, port = c.add(rounds, degree)
	}
	turn := (st.head + e.latency + latency) * b.cycle
	phases[1][boundLatency] = turn
	x := &phases[2]
	x[boundIssue] = (b.turnInstructions + e.instructions + tries) * st.issue
	x[boundMemory] = st.stream
	x[boundPort] = port * st.perSM
	x[boundLock] = a.hot * c.hold * c.alike(st) * g.lock
	switch c.way {
	case addCAS:
		x[boundLock] = b.swaps(a.hot) * c.hold * c.alike(st) * g.lock
	case addByBank:
		x[boundLock] *= overlapped(c.sharing(g))
	}
	x[boundExchange] = e.exchange * st.perSM
	x[boundLatency] = (g.turns - 1) * turn
	t := larger(larger(x[boundIssue], x[boundMemory]), x[boundPort])
	return turn + larger(larger(t, x[boundLock]), larger(x[boundExchange], x[boundLatency]))
}

// replicate spreads a warp's adds over its copies and returns the rounds in
// which they are served and the different words in the fullest bank.
//
// The lanes on one target fall evenly on the copies that a warp uses. Their other
// conflicts stay: what the fullest bank holds beside the most frequent target,
// bank - highest. Copies whose distance is a multiple of the number of banks
// lie on the same banks, so a position conflict turns into a bank conflict; a
// pad of one word shifts each copy by one bank ([gomezluna13] section 3). Shifted
// copies spread a warp over the banks as at random, never better than
// fullestBank.
//
// A native atomic serves the lanes of a bank one by one, a merging one its
// different words. Locks serve the lanes of one lock one by one: with no more
// locks than banks those of a bank, with more of them those of a target and,
// beyond as many targets as locks, d(d-1)/(2·locks) of d different targets more
// that meet by aliasing. A compare-and-swap loop waits for equal targets only.
func (b *Bundle) replicate(c *copies, st *stream, a *adds) (rounds, degree float64) {
	highest, bank := a.highest, a.bank
	degree = a.degree
	if c.shared {
		stride := st.binsOverBanks + c.pad
		if stride >= uint32(len(c.invShift)) {
			stride -= uint32(len(c.invShift))
		}
		other := bank - highest
		bank = larger(highest*c.invShift[stride]+other, a.random)
		highest = larger(1, highest*smaller(1, c.invFull*c.alike(st)))
		degree = larger(degree, bank/highest)
	}
	if b.words > 1 {
		// Half warps are served apart, over half as many banks.
		half := smaller(degree, 0.5*degree+halfDegree)
		bank, degree = bank*half/degree, half
	}
	if c.ramp != nil && st.ramp > 0 {
		bank, degree = c.onRamp(st, bank, degree, highest)
	}
	switch c.way {
	case addCAS:
		return b.swaps(highest), degree
	case addNative, addMerge, addByBank:
		return bank, degree
	}
	rounds = highest
	if st.bins*c.number > c.lock {
		rounds = smaller(a.lanes, rounds+0.5*a.distinct*(a.distinct-1)/c.lock)
	}
	return larger(1, rounds), degree
}

// halfDegree is what remains of a conflict within half a warp beside half of it:
// 16 lanes at random over 16 banks meet in 3.1 of 3.5 lanes of a whole warp.
const halfDegree = 1.3

// fullestBank is the number of lanes in the fullest bank where a warp's copies
// are spread at random. For d different targets of one warp it rises from 1
// (each lane has its own copy of the only target) towards the fullest of `banks`
// bins under `lanes` balls, lanes/banks + sqrt(2·lanes/banks·ln banks) [raab98].
func (b *Bundle) fullestBank(a *adds) float64 {
	d := larger(1, a.distinct)
	return smaller(larger(1, a.lanes), 1+(b.bankAtRandom-1)*(1-1/d))
}
