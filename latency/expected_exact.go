package latency

import (
	"math"

	"github.com/atomtune/atomtune/device"
)

// mean is the exact mean of the counts of a warp, as far as it is known.
type mean struct {
	known  bool // all of it
	counts [numTerms]float64
	degree float64
	// turns is the distribution of the number of turns; nil where unknown.
	turns distribution
}

// mean finds what is known exactly of a crowd.
func (p Params) mean(c crowd) mean {
	var m mean
	if p.Wide {
		return m
	}
	m.counts[termBase] = 1
	if c.lanes < p.Lanes {
		m.counts[termPartial] = 1
	}
	switch first, ok := p.firstPasses(c); {
	case p.Loops():
		p.meanLoop(&m, c)
	case ok:
		m.known = true
		m.degree = 1 + first.further()
		if p.Mechanism == device.Native {
			m.counts[termRound] = first.further()
		} else {
			m.counts[termBank] = first.further()
		}
	}
	return m
}

// firstPasses is the distribution of the passes of an access, or of the first
// read of a loop: different words on the fullest bank, or lanes.
func (p Params) firstPasses(c crowd) (distribution, bool) {
	switch {
	case p.Mechanism == device.Native || c.apart():
		return c.largest(p.Banks)
	case c.together():
		return banked{c.lanes, c.words, p.Banks, 0}.fullest(waitingWords, 0), true
	}
	return nil, false
}

// meanLoop finds the mean of a loop.
func (p Params) meanLoop(m *mean, c crowd) {
	groups, ok := c.groups(p.Locks)
	if !ok {
		return
	}
	m.turns, _ = c.largest(p.Locks)
	m.counts[termRound] = m.turns.further()
	if p.StepTurn > 1 {
		m.counts[termStep] = 1 - m.turns.at(p.StepTurn-1)
	}
	if p.Apart && c.lanes == p.Lanes {
		m.counts[termSplit] = 1 - m.turns.at(1)
	}
	first, ok := p.firstPasses(c)
	if !ok {
		return
	}
	m.degree = 1 + first.further()
	if p.Mechanism == device.CAS {
		m.counts[termHidden] = -p.hidden(first)
	}
	switch {
	case len(groups) == c.lanes:
		// No two lanes can meet on a lock: one turn, in which all win.
		m.known = true
		m.counts[termBank], m.counts[termWrite] = first.further(), first.further()
	case len(groups) == 1 && p.nested(c):
		m.known = true
		p.meanPasses(m, c, first)
		p.meanBranches(&m.counts, c)
	}
}

// nested reports whether the words of a lock lie all in one bank, and lanes that
// share locks share banks.
func (p Params) nested(c crowd) bool {
	own := p.Locks == 0 || p.Locks >= c.words
	return own && c.together() || p.Locks > 0 && p.Locks%p.Banks == 0
}

// meanPasses counts the passes of all turns of lanes that share all locks.
func (p Params) meanPasses(m *mean, c crowd, first distribution) {
	b := banked{c.lanes, c.words, p.Banks, p.Locks}
	words := law(waitingWords)
	if c.apart() {
		words = waitingLanes // each wants a word of its own copy
	}
	if p.Mechanism == device.CAS {
		m.counts[termBank] = first.further()
		m.counts[termWrite] = b.furtherPasses(waitingLanes)
		return
	}
	m.counts[termBank] = b.furtherPasses(words)
	m.counts[termWrite] = b.furtherPasses(winner)
}

// hidden is the mean of min(Hidden, Bank·(passes-1)).
func (p Params) hidden(passes distribution) float64 {
	sum := 0.0
	for d := range passes {
		hidden := min(p.Hidden, p.Bank*math.Max(0, float64(d-1)))
		sum += hidden * (passes.at(d) - passes.at(d-1))
	}
	return sum
}
