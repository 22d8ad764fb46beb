package tuner

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/regtree"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
)

// A Chooser makes many choices for one device and one set of options. It is
// safe for concurrent use.
type Chooser struct {
	call   device.Call
	lanes  int
	closed *speedup.Bundle
	list   []entry // in the order of the bundle
	trees  *forest
	races  sync.Pool // of *race

	most     uint64 // device memory that an implementation may take; 0: any
	room     roomFor
	cautious bool
	samplers sync.Pool                 // of *collision.Sampler
	blind    atomic.Pointer[blindness] // of the size that was asked for last
}

// entry is an implementation ready for evaluation.
type entry struct {
	reach
	mostBins uint64
	tree     flatTree
	fix      *Implementation // where Options.Cautious asks its interval
	place    int             // in the list
	rank     int             // place among the candidates: of equal times the first wins
	variant  variant.Variant
	// Factors of the closed form between which the implementation is taken to
	// lie: those of its tree, but naive is never left out, and what is not
	// admitted leaves out nothing.
	lowest, highest float64
	admitted        bool
	naive           bool
	grouped         bool // it is right on grouped streams alone
}

// Pick is the short form of a Choice.
type Pick struct {
	Variant variant.Variant
	US      float64 // predicted time
	// NaiveUS is the predicted time of naive and SpeedupOverNaive its ratio to
	// US. Both are NaN where the device cannot run naive.
	NaiveUS          float64
	SpeedupOverNaive float64
}

// NewChooser prepares choices. Errors are those of Choose that do not depend on
// the stream.
func NewChooser(d *device.Profile, o Options) (*Chooser, error) {
	p, err := newPredictor(d, o)
	if err != nil {
		return nil, fmt.Errorf("new chooser: %w", err)
	}
	c := &Chooser{
		call: o.Call, lanes: p.lanes(), trees: newForest(),
		most: o.MemoryBytes, room: p.room, cautious: o.Cautious,
	}
	naive := variant.Variant{}
	for _, v := range p.list {
		admitted := slices.Contains(o.candidates(), v) && o.admits(v) == nil
		if admitted || v == naive {
			if err := c.add(p, v, admitted); err != nil {
				return nil, fmt.Errorf("new chooser: %w", err)
			}
		}
	}
	if !slices.ContainsFunc(c.list, func(e entry) bool { return e.admitted }) {
		return nil, fmt.Errorf("new chooser: %w on %s with these options", ErrNone, d.Name)
	}
	if naive := slices.IndexFunc(c.list, func(e entry) bool { return e.naive }); naive > 0 {
		c.list[0], c.list[naive] = c.list[naive], c.list[0] // it is priced first
	}
	list := make([]variant.Variant, len(c.list))
	for i := range list {
		list[i] = c.list[i].variant
	}
	if c.closed, err = speedup.CompileAll(list, p.bare, o.Call); err != nil {
		return nil, fmt.Errorf("new chooser: %w", err)
	}
	for i := range c.list {
		c.list[i].place, c.list[i].mostBins = i, c.closed.MostBins(i)
	}
	return c, nil
}

func (c *Chooser) add(p *predictor, v variant.Variant, admitted bool) error {
	var tree *regtree.Tree
	if fix := p.model.find(v); fix != nil {
		var err error
		if tree, err = fix.corrections(); err != nil {
			return err
		}
	}
	e := entry{
		variant: v, tree: c.trees.add(tree), rank: len(c.list),
		admitted: admitted, naive: v == variant.Variant{},
	}
	e.fix = p.model.find(v)
	e.grouped = v.Base == variant.SegReduce
	e.lowest, e.highest = e.tree.lowest, e.tree.highest
	if e.naive {
		e.lowest = 0
	}
	if !admitted {
		e.highest = math.Inf(1)
	}
	e.reach = reach{p.hostUS(v), min(roomy/e.lowest, math.MaxFloat64), v.Base == variant.Global && !e.naive}
	c.list = append(c.list, e)
	return nil
}

// reach says up to where a closed form may lie for its implementation to win.
type reach struct {
	hostUS  float64 // of the host, per update
	inverse float64 // 1 / the lowest factor, with some room for rounding
	global  bool    // it adds to the targets in global memory and is not naive
}

// Pick returns the implementation that Choose puts first, without allocating.
// The error wraps ErrStats for statistics that no stream has, and ErrNone
// where no implementation can run on the stream.
func (c *Chooser) Pick(s *collision.Stats) (Pick, error) {
	if err := checkStats(s, c.lanes); err != nil {
		return Pick{}, err
	}
	r := c.start(s)
	if c.cautious {
		c.runCautious(s, r)
	} else {
		c.run(s, r)
	}
	best, least, naive := r.best, r.least, r.naive
	c.races.Put(r)
	if best == nil {
		return Pick{}, fmt.Errorf("%w on this stream of %d targets", ErrNone, s.Bins)
	}
	return Pick{Variant: best.variant, US: least, NaiveUS: naive, SpeedupOverNaive: naive / least}, nil
}

// picky reports whether some implementation may not fit.
func (c *Chooser) picky(s *collision.Stats) bool { return c.most != 0 || partly(s) }

// fits reports whether an implementation keeps within the memory that the
// options allow, and is known to be right on the stream.
func (c *Chooser) fits(e *entry, s *collision.Stats) bool {
	return (c.most == 0 || c.room.bytes(e.variant, s.Updates, s.Bins) <= c.most) && !(e.grouped && partly(s))
}

// start returns a race at its start, in memory that another has left behind if
// there is any.
func (c *Chooser) start(s *collision.Stats) *race {
	r, ok := c.races.Get().(*race)
	if !ok {
		r = new(race)
	}
	r.best, r.least, r.naive = nil, math.Inf(1), math.NaN()
	r.bound, r.roof = math.Inf(1), math.Inf(1)
	r.plain, r.open, r.updates = math.Inf(1), 0, real(s.Updates)
	return r
}
