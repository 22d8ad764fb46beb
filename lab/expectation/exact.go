package expectation

import (
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// mean is the exact mean of the counts of a warp, as far as it is known.
type mean struct {
	known  bool // all of it
	counts latency.Counts
	degree float64
	// turns is the distribution of the number of turns; nil where unknown.
	turns distribution
}

// mean finds what is known exactly of a placement.
func (p operation) mean(c placement) mean {
	var m mean
	if p.Wide {
		return m
	}
	m.counts[latency.TermBase] = 1
	if c.lanes < p.Lanes {
		m.counts[latency.TermPartial] = 1
	}
	switch first, ok := p.firstPasses(c); {
	case p.Loops():
		p.meanLoop(&m, c)
	case ok:
		m.known = true
		m.degree = 1 + first.further()
		if p.Mechanism == device.Native {
			m.counts[latency.TermRound] = first.further()
		} else {
			m.counts[latency.TermBank] = first.further()
		}
	}
	return m
}

// firstPasses is the distribution of the passes of an access, or of the first
// read of a loop: different words on the fullest bank, or lanes.
func (p operation) firstPasses(c placement) (distribution, bool) {
	switch {
	case p.Mechanism == device.Native || c.apart():
		return c.largest(p.Banks)
	case c.together():
		return banked{c.lanes, c.words, p.Banks, 0}.fullest(waitingWords, 0), true
	}
	return nil, false
}

// meanLoop finds the mean of a loop.
func (p operation) meanLoop(m *mean, c placement) {
	groups, ok := c.groups(p.Locks)
	if !ok {
		return
	}
	m.turns, _ = c.largest(p.Locks)
	m.counts[latency.TermRound] = m.turns.further()
	if p.StepTurn > 1 {
		m.counts[latency.TermStep] = 1 - m.turns.at(p.StepTurn-1)
	}
	if p.Apart && c.lanes == p.Lanes {
		m.counts[latency.TermSplit] = 1 - m.turns.at(1)
	}
	first, ok := p.firstPasses(c)
	if !ok {
		return
	}
	m.degree = 1 + first.further()
	if p.Mechanism == device.CAS {
		m.counts[latency.TermHidden] = -p.hidden(first)
	}
	switch {
	case len(groups) == c.lanes:
		// No two lanes can meet on a lock: one turn, in which all win.
		m.known = true
		m.counts[latency.TermBank], m.counts[latency.TermWrite] = first.further(), first.further()
	case len(groups) == 1 && p.nested(c):
		m.known = true
		p.meanPasses(m, c, first)
		p.meanBranches(&m.counts, c)
	}
}

// nested reports whether the words of a lock lie all in one bank, and lanes that
// share locks share banks.
func (p operation) nested(c placement) bool {
	own := p.Locks == 0 || p.Locks >= c.words
	return own && c.together() || p.Locks > 0 && p.Locks%p.Banks == 0
}

// meanPasses counts the passes of all turns of lanes that share all locks.
func (p operation) meanPasses(m *mean, c placement, first distribution) {
	b := banked{c.lanes, c.words, p.Banks, p.Locks}
	words := law(waitingWords)
	if c.apart() {
		words = waitingLanes // each wants a word of its own copy
	}
	if p.Mechanism == device.CAS {
		m.counts[latency.TermBank] = first.further()
		m.counts[latency.TermWrite] = b.furtherPasses(waitingLanes)
		return
	}
	m.counts[latency.TermBank] = b.furtherPasses(words)
	m.counts[latency.TermWrite] = b.furtherPasses(winner)
}

// hidden is the mean of min(Hidden, Bank·(passes-1)).
func (p operation) hidden(passes distribution) float64 {
	sum := 0.0
	for d := range passes {
		hidden := min(p.Hidden, p.Bank*math.Max(0, float64(d-1)))
		sum += hidden * (passes.at(d) - passes.at(d-1))
	}
	return sum
}

// meanBranches counts what the splits of a loop's warp cost, whose lanes are
// uniform on words and share all locks. Terms of no cost are not counted.
func (p operation) meanBranches(counts *latency.Counts, c placement) {
	switch {
	case p.Apart:
		if c.lanes == p.Lanes && (p.Ahead != 0 || p.AheadAgain != 0 || p.AheadLast != 0) {
			m := overLoads(c.lanes, c.words, p.Locks, aheadRule)
			counts[latency.TermAhead] = -(m[aheadElse] + m[aheadAgain] + m[aheadLast])
			counts[latency.TermAheadAgain], counts[latency.TermAheadLast] = -m[aheadAgain], -m[aheadLast]
		}
	case p.Park != 0 || p.Merge != 0 || p.MergeSaved != 0:
		m := overLoads(c.lanes, c.words, p.Locks, parkRule)
		counts[latency.TermPark], counts[latency.TermMerge] = m[parkLast], m[parkSome]
		counts[latency.TermMergeSaved] = -m[parkSaved]
	}
}

// The masses of parkRule: that no lanes were parked and merged later, that some
// were, that some are parked at the last branch, and the mean number of times
// that they were merged beyond the first.
const (
	parkNone = iota
	parkSome
	parkLast
	parkSaved
)

// parkRule follows the lanes that a warp parks where those that are done
// outnumber the others. The order of the turns does not matter.
func parkRule(x masses, _, leave, after int, last bool) masses {
	switch {
	case after == 0 || leave <= after:
	case last:
		x[parkLast] += x[parkNone] + x[parkSome]
	default:
		x[parkSaved] += x[parkSome]
		x[parkNone], x[parkSome] = 0, x[parkNone]+x[parkSome]
	}
	return x
}

// The masses of aheadRule: of the second branch, that the lanes that are done
// were the more among others, that the branch was the last, and all else.
const (
	aheadElse = iota
	aheadAgain
	aheadLast
)

// aheadRule keeps of a loop whose lanes run apart the cases in which, at the
// first branch, the lanes that are done outnumber the others.
func aheadRule(x masses, turn, leave, after int, _ bool) masses {
	switch {
	case turn == 2 && leave > 0 && after == 0:
		return masses{aheadLast: x[aheadElse]}
	case turn == 2 && after > 0 && leave > after:
		return masses{aheadAgain: x[aheadElse]}
	case turn == 1 && (after == 0 || leave <= after):
		return masses{}
	}
	return x
}
