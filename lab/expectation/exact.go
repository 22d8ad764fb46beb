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
	// iterations is the distribution of the number of iterations; nil where unknown.
	iterations distribution
}

// mean finds what is known exactly of a placement.
func (p operation) mean(c placement) (m mean) {
	if p.Wide {
		return m
	}
	m.counts[latency.TermBase] = 1
	if c.lanes < p.Lanes {
		m.counts[latency.TermPartial] = 1
	}
	first, ok := p.firstPasses(c)
	further := first.further()
	m.degree = 1 + further
	switch {
	case p.Loops():
		p.meanIterations(&m, c)
		if m.iterations != nil && ok {
			p.meanPasses(&m, c, first)
		}
	case p.Mechanism == device.Native:
		m.known, m.counts[latency.TermRound] = ok, further
	default:
		m.known, m.counts[latency.TermBank] = ok, further
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

// meanIterations finds the iterations of a loop.
func (p operation) meanIterations(m *mean, c placement) {
	iterations, ok := c.largest(p.Locks)
	if !ok {
		return
	}
	m.iterations = iterations
	m.counts[latency.TermRound] = iterations.further()
	if p.StepIteration > 1 {
		m.counts[latency.TermStep] = 1 - iterations.at(p.StepIteration-1)
	}
	if p.Apart && c.lanes == p.Lanes {
		m.counts[latency.TermSplit] = 1 - iterations.at(1)
	}
}

// meanPasses counts the passes of all iterations of a loop.
func (p operation) meanPasses(m *mean, c placement, first distribution) {
	if p.Mechanism == device.CAS {
		for d := range first { // the mean of min(Hidden, Bank·(passes-1))
			hidden := min(p.Hidden, p.Bank*math.Max(0, float64(d-1)))
			m.counts[latency.TermHidden] -= hidden * (first.at(d) - first.at(d-1))
		}
	}
	// The words of a lock lie all in one bank, and lanes that share locks share banks.
	own := p.Locks == 0 || p.Locks >= c.words
	nested := own && c.together() || p.Locks > 0 && p.Locks%p.Banks == 0
	bank, write := &m.counts[latency.TermBank], &m.counts[latency.TermWrite]
	b := banked{c.lanes, c.words, p.Banks, p.Locks}
	switch groups, _ := c.groups(p.Locks); {
	case len(groups) == c.lanes:
		// No two lanes can meet on a lock: one iteration, in which all win.
		m.known, *bank, *write = true, first.further(), first.further()
		return
	case len(groups) > 1 || !nested:
		return
	case p.Mechanism == device.CAS:
		*bank, *write = first.further(), b.furtherPasses(waitingLanes)
	case c.apart(): // each wants a word of its own copy
		*bank, *write = b.furtherPasses(waitingLanes), b.furtherPasses(winner)
	default:
		*bank, *write = b.furtherPasses(waitingWords), b.furtherPasses(winner)
	}
	m.known = true
	p.meanBranches(&m.counts, c)
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

// The masses of parkRule.
const (
	parkNone  = iota // no lanes were parked and merged later
	parkSome         // some were
	parkLast         // some are parked at the last branch
	parkSaved        // the mean number of times that they were merged beyond the first
)

// parkRule follows the lanes that a warp parks where those that are done
// outnumber the others. The order of the iterations does not matter.
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

// The masses of aheadRule.
const (
	aheadElse  = iota
	aheadAgain // at the second branch, the lanes that are done outnumber the others
	aheadLast  // the second branch was the last
)

// aheadRule keeps of a loop whose lanes run apart the cases in which, at the
// first branch, the lanes that are done outnumber the others.
func aheadRule(x masses, iteration, leave, after int, _ bool) masses {
	switch {
	case iteration == 2 && leave > 0 && after == 0:
		return masses{aheadLast: x[aheadElse]}
	case iteration == 2 && after > 0 && leave > after:
		return masses{aheadAgain: x[aheadElse]}
	case iteration == 1 && (after == 0 || leave <= after):
		return masses{}
	}
	return x
}
