package speedup

import "github.com/atomtune/atomtune/variant"

// Family is a kind of implementations that share a lower bound of their times.
type Family uint8

// The families.
const (
	Plain    Family = iota // adds to the targets as they come
	Copies                 // adds to copies as they come
	Merged                 // warp reductions before copies
	Reduced                // warp reductions before the targets
	Dealt                  // updates that the host has dealt
	Sorted                 // a sort
	Segments               // a reduction of segments
	Threads                // a counter for each thread
	Served                 // a coordinator
	families
)

// FamilyOf returns the family of an implementation.
func FamilyOf(v variant.Variant) Family {
	switch {
	case v.Base == variant.Sort:
		return Sorted
	case v.Base == variant.SegReduce:
		return Segments
	case v.Base == variant.ThreadPrivate:
		return Threads
	case v.Base == variant.Coordinator:
		return Served
	case v.Scatter:
		return Dealt
	case v.Base == variant.Private && v.Reduction == variant.None:
		return Copies
	case v.Base == variant.Private:
		return Merged
	case v.Reduction != variant.None:
		return Reduced
	}
	return Plain
}

// Lower bounds of times are made of the terms of the whole, with the same
// operations in the same order and some terms left out or replaced by smaller
// ones: rounding keeps order, so the whole is no less to the last bit. Where a
// bound is made in another way, rounded makes up for that.
const rounded = 1 - 1e-8

// least is what the implementations of a family spend at least: warp instructions
// per turn, and cycles.
type least struct {
	instructions, exchange, latency float64
	copies                          *copies // where all have the same
}

// setLeast prepares parts of lower bounds.
func (b *Bundle) setLeast() {
	b.leastByte = rounded * smaller(b.near, b.far)
	b.leastThreadTurn = rounded * larger(
		(b.turnInstructions+copyInstructions)*b.issue, 2*b.words*b.passPort*b.perSM)
	if len(b.threadShapes) > 0 {
		sum := b.sharedLoad + b.alu + b.treeSteps*(b.shuffle+b.alu) + flushInstructions*b.alu + b.load
		b.leastThreadSum = rounded * sum * b.cycle * b.threadShapes[0].invWarps
	}
	b.leastTurns = rounded * smaller(b.invWarpsSmall/b.mostSmall, b.invWarpsLarge/b.mostLarge) / b.sms
	var some [families]bool
	for i := range b.list {
		c := &b.list[i]
		l, m := b.leastOf(c), &b.least[c.family]
		if some[c.family] {
			m.join(&l)
		} else {
			*m, some[c.family] = l, true
		}
	}
}

// join makes l the least of itself and of another.
func (l *least) join(other *least) {
	l.instructions = smaller(l.instructions, other.instructions)
	l.exchange, l.latency = smaller(l.exchange, other.exchange), smaller(l.latency, other.latency)
	if a, b := l.copies, other.copies; a == nil || b == nil || a.number != b.number || a.padWords != b.padWords {
		l.copies = nil
	}
}

// leastOf is what one implementation spends at least: the set-up of its warp
// reduction, and its add to a copy.
func (b *Bundle) leastOf(c *candidate) least {
	p := &b.prices[c.v.Reduction]
	l := least{p.setup.issued, p.setup.busy, p.setup.latency, &c.copies}
	switch c.v.Reduction {
	case variant.Peers:
		l = least{p.enter.issued, p.enter.busy, p.enter.latency, &c.copies}
	case variant.Match:
		l = least{p.enter.issued + 1, p.enter.busy + b.matchPort, p.enter.latency + b.match, &c.copies}
	}
	l.instructions += b.turnInstructions + c.copies.leastTries
	l.latency += c.copies.leastLatency
	return least{l.instructions * rounded, l.exchange * rounded, l.latency * rounded, l.copies}
}

// Floor returns a time that none of the family falls below.
func (p *Pricing) Floor(f Family) float64 {
	b, st := p.b, &p.st
	switch f {
	case Copies, Merged:
		return p.copiesFloor(&b.least[f])
	case Reduced:
		return b.reducedFloor(&b.least[f], st)
	case Sorted:
		return b.sortFloor(st)
	case Threads:
		return b.threadsFloor(st)
	}
	return st.lead
}

// copiesFloor leaves out that lanes wait for each other and, where the copies of
// the family differ, the clearing and the flush but for their barriers.
func (p *Pricing) copiesFloor(l *least) float64 {
	b, st := p.b, &p.st
	turns, zero, flush := st.turns*b.leastTurns, b.barrierUS, b.flushedUS
	if k := l.copies; k != nil {
		g := b.launch(k.need(st), st, &p.grids)
		if g.targets < 0 {
			b.setTargets(g, st, &p.x[3])
		}
		turns, zero, flush = g.turns, b.zeroUS(g, k.number*st.bins+k.padWords, &p.x[0]), g.flushUS(k, b.flushedUS, &p.x[3])
	}
	update := b.leastUpdate(st, turns, l.instructions, l.exchange, l.latency)
	return st.lead + (zero + update + flush)
}

// reducedFloor is the set-up of the reductions, and one add for each sector that a
// warp touches.
func (b *Bundle) reducedFloor(l *least, st *stream) float64 {
	turn := (st.headAtomic + l.latency) * b.cycle
	busy := larger(larger(st.leastDirect, l.instructions*st.issue), larger(l.exchange*st.perSM, (st.turnsDirect-1)*turn))
	return st.lead + (turn+busy)*rounded
}

// sortFloor is the launches; or reading the keys, reading and writing all pairs
// for each digit, and reading them again.
func (b *Bundle) sortFloor(st *stream) float64 {
	digits := digitsOf(st.Bins)
	launches := b.first + (st.cleared+5+2*digits)*b.next
	bytes := st.updates * ((2*digits+1)*b.updateBytes + indexBytes)
	return larger(launches*rounded, st.lead*rounded+bytes*b.leastByte)
}

// threadsFloor is the launches; issuing or streaming, and a block's sums.
func (b *Bundle) threadsFloor(st *stream) float64 {
	update := larger(st.stream*rounded, st.turns*b.leastThreadTurn)
	return rounded * b.after(st.lead*rounded+update+st.bins*b.leastThreadSum, st.cleared+1, 0)
}
