package tuner

import (
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/speedup"
)

// maxCandidates is one more than a choice may have: naive runs beside them.
const maxCandidates = 64

// race is the state of one Pick.
type race struct {
	prices    speedup.Pricing
	x         lanes
	updates   float64
	perUpdate float64 // 1 / updates
	best      *entry  // the fastest so far
	least     float64 // its time, us
	bound     float64 // time that some implementation does not exceed, us
	naive     float64 // time of naive, us; NaN where it cannot run
	plain     float64 // closed form of naive, us; +Inf where it may not be chosen

	open   int // implementations that may win, and naive
	leader int // the one of them that sets the bound
	runner [maxCandidates]runner

	group  [lockstep]int // of runners whose trees are walked together
	root   [lockstep]uint32
	factor [lockstep]float64
}

// runner is an implementation whose tree is to be asked.
type runner struct {
	entry      *entry
	closed     float64 // time of the closed form, us
	host       float64 // time of the host, us
	optimistic float64 // in all, with the lowest factor of the tree, us
}

// run finds the fastest implementation and the time of naive. A tree's factors
// lie between its lowest and its highest, so an implementation whose time with
// the lowest is above another's with the highest cannot win: its tree is not
// asked, and where a lower bound of its closed form already says so, neither is
// that. Rounding keeps order, so the bounds hold to the last bit.
func (c *Chooser) run(s *collision.Stats, r *race) {
	c.closed.Start(s, &r.prices)
	for i := range c.list {
		e := &c.list[i]
		if s.Bins > e.mostBins || !c.fits(e, s) {
			continue
		}
		host := e.hostUS * r.updates
		if e.floored && total(r.prices.Floor(i), e.lowest, host) > r.bound {
			continue
		}
		us := r.prices.US(i)
		if e.naive && e.admitted {
			r.plain = us
		} else if e.global && us >= r.plain {
			continue // see notBelowNaive
		}
		optimistic := total(us, e.lowest, host)
		if optimistic > r.bound {
			continue
		}
		if most := total(us, e.highest, host); most < r.bound {
			r.bound, r.leader = most, r.open
		}
		g := &r.runner[r.open&(maxCandidates-1)]
		g.entry, g.closed, g.host, g.optimistic = e, us, host, optimistic
		r.open++
	}
	c.settle(r)
}

// settle walks the trees, several at a time, that of the leader among the first,
// and leaves out those that cannot win any more.
func (c *Chooser) settle(r *race) {
	group, n := &r.group, 1
	group[0] = r.leader
	for i := range r.runner[:r.open] {
		if i == r.leader || r.runner[i].optimistic > r.bound {
			continue
		}
		if n == len(group) {
			c.ask(group[:n], r)
			n = 0
		}
		group[n] = i
		n++
	}
	if r.open > 0 {
		c.ask(group[:n], r)
	}
}

// ask walks the trees of some runners and takes their times into account.
func (c *Chooser) ask(group []int, r *race) {
	depth := int32(0)
	for j, i := range group {
		g := &r.runner[i]
		r.x.price(j, g.closed, r.perUpdate)
		r.root[j], depth = g.entry.tree.root, max(depth, g.entry.tree.depth)
	}
	c.trees.walk(&r.root, depth, &r.x, &r.factor)
	for j, i := range group {
		g := &r.runner[i]
		e, us := g.entry, total(g.closed, r.factor[j], g.host)
		if e.naive {
			r.naive = us
		}
		if e.admitted && (us < r.least || us == r.least && e.before(r.best)) {
			r.best, r.least = e, us
		}
	}
	r.bound = min(r.bound, r.least)
}

// before reports whether e stands before other among the candidates.
func (e *entry) before(other *entry) bool { return other != nil && e.rank < other.rank }
