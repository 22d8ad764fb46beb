package tuner

import (
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
)

// maxCandidates is one more than a choice may have: naive runs beside them.
const maxCandidates = 64

// race is the state of one Pick.
type race struct {
	us        [maxCandidates]float64 // closed forms, in the order of the chooser's list
	x         lanes
	updates   float64
	perUpdate float64 // 1 / updates, where trees are asked
	best      *entry  // the fastest so far
	least     float64 // its time, us
	bound     float64 // time that some implementation does not exceed, us
	roof      float64 // the bound with some room for rounding, us
	naive     float64 // time of naive, us; NaN where it cannot run
	plain     float64 // closed form of naive, us; +Inf where it may not be chosen

	open   int // implementations whose trees are to be asked
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
// asked. Rounding keeps order, and roomy makes up for it where the order of operations
// differs.
func (c *Chooser) run(s *collision.Stats, r *race) {
	c.closed.US(s, r.us[:len(c.list)])
	if naive := &c.list[0]; naive.naive {
		r.start(naive)
	}
	picky := c.picky(s)
	for i := range c.list {
		if e := &c.list[i]; !e.naive && (!picky || c.fits(e, s)) {
			r.run(e)
		}
	}
	c.settle(s, r)
}

// start prices naive.
func (r *race) start(e *entry) {
	us := r.us[e.place]
	if e.admitted {
		r.plain = us
	}
	if e.tree.depth > 0 {
		r.enter(e, us, 0)
		return
	}
	r.naive = total(us, e.tree.lowest, 0)
	r.take(e, r.naive)
}

// run takes the time of another implementation into account, unless it cannot win,
// or puts it in line for its tree.
func (r *race) run(e *entry) {
	us := r.us[e.place]
	if !(us <= r.limit(&e.reach)) || e.global && us >= r.plain { // see notBelowNaive
		return
	}
	if host := e.hostUS * r.updates; e.tree.depth > 0 {
		r.enter(e, us, host)
	} else {
		r.take(e, total(us, e.tree.lowest, host))
	}
}

// limit is a time of the closed form above which an implementation cannot win.
func (r *race) limit(e *reach) float64 {
	limit := (r.roof - e.hostUS*r.updates) * e.inverse
	if e.global && r.plain < limit {
		return r.plain
	}
	return limit
}

// roomy makes up for the rounding of a few operations.
const roomy = 1 + 1e-9

// take takes the time of an implementation into account.
func (r *race) take(e *entry, us float64) {
	if e.admitted && (us < r.least || us == r.least && e.before(r.best)) {
		r.best, r.least = e, us
		r.lower(us)
	}
}

// lower lowers the bound.
func (r *race) lower(us float64) {
	if us < r.bound {
		r.bound, r.roof = us, us*roomy
	}
}

// enter puts an implementation in line for its tree, the one that sets the bound
// in front, unless it cannot win.
func (r *race) enter(e *entry, closed, host float64) {
	optimistic := total(closed, e.lowest, host)
	if optimistic > r.bound {
		return
	}
	g := &r.runner[r.open&(maxCandidates-1)]
	r.open++
	if most := total(closed, e.highest, host); most < r.bound {
		r.lower(most)
		*g = r.runner[0]
		g = &r.runner[0]
	}
	g.entry, g.closed, g.host, g.optimistic = e, closed, host, optimistic
}

// settle walks the trees, several at a time, and leaves out those that cannot
// win any more.
func (c *Chooser) settle(s *collision.Stats, r *race) {
	if r.open == 0 {
		return
	}
	r.fill(s, c.call)
	group, n := &r.group, 0
	for i := range r.runner[:r.open] {
		if r.runner[i].optimistic > r.bound {
			continue
		}
		if n == len(group) {
			c.ask(group[:n], r)
			n = 0
		}
		group[n] = i
		n++
	}
	if n > 0 {
		c.ask(group[:n], r)
	}
}

// fill computes what trees read of the stream.
func (r *race) fill(s *collision.Stats, call device.Call) {
	r.perUpdate = 1 / r.updates
	r.x.stream().fill(s, call)
}

// ask walks the trees of some runners and takes their times into account.
func (c *Chooser) ask(group []int, r *race) {
	depth := int32(0)
	for j, i := range group {
		g := &r.runner[i]
		r.x.price(j, g.closed, r.perUpdate)
		r.root[j], depth = g.entry.tree.root, max(depth, g.entry.tree.depth)
	}
	if len(group) == 1 {
		r.factor[0] = c.trees.walkOne(r.root[0], depth, &r.x)
	} else {
		c.trees.walk(&r.root, depth, &r.x, &r.factor)
	}
	for j, i := range group {
		g := &r.runner[i]
		us := total(g.closed, r.factor[j], g.host)
		if g.entry.naive {
			r.naive = us
		}
		r.take(g.entry, us)
	}
}

// before reports whether e stands before other among the candidates.
func (e *entry) before(other *entry) bool { return other != nil && e.rank < other.rank }
