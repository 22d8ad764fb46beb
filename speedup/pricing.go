package speedup

import (
	"math"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/variant"
)

// Pricing prices one stream, one implementation of a bundle at a time: it works
// out what several of them share when the first of them asks for it. It is for
// one goroutine; Bundle.Start makes it ready.
type Pricing struct {
	b      *Bundle
	st     stream
	grids  grids
	x      phaseBounds
	floors floors
}

// Start makes p price a stream, whatever it priced before, without allocation.
// Statistics that no stream has give times that no call takes: see Bundle.Check.
func (b *Bundle) Start(s *collision.Stats, p *Pricing) {
	p.b, p.st.Stats = b, s
	p.st.known, p.grids.small.perSM, p.grids.other.perSM = 0, 0, 0
	if s.Updates > 0 {
		b.read(s, &p.st)
		b.setFloors(&p.st, &p.floors)
	}
}

// runs reports whether the device can run an implementation on the stream.
func (p *Pricing) runs(c *candidate) bool {
	s := p.st.Stats
	return s.Bins <= c.bins && s.Updates > 0 && uint64(s.WarpSize) == p.b.lanesPerWarp &&
		(c.base != variant.SegReduce || s.Runs == s.Unique)
}

// US returns the predicted time of one call of the implementation at that place
// in the list of CompileAll, exactly the one that Model.US returns: +Inf where
// the implementation cannot run the stream.
func (p *Pricing) US(place int) float64 {
	b, st := p.b, &p.st
	c := &b.list[place]
	if !p.runs(c) {
		return math.Inf(1)
	}
	switch c.base {
	case variant.Private:
		return st.lead + b.privateUS(c, st, &p.grids, &p.x)
	case variant.Coordinator:
		return st.lead + b.coordinatorUS(st, &p.x)
	case variant.Sort:
		return b.sortUS(st, &p.x)
	case variant.SegReduce:
		return b.segReduceUS(st, &p.x)
	case variant.ThreadPrivate:
		return b.threadPrivateUS(st, &p.x)
	}
	return st.updates*c.perUS + st.lead + b.updateDirect(c, st, &p.x[0], &p.x[1])
}

// Floor returns a time that US does not fall below, at a fraction of its cost.
func (p *Pricing) Floor(place int) float64 {
	return p.floors[p.b.list[place].floor]
}

// phaseBounds are the bounds of the phases of a call after its clearing.
type phaseBounds [4]bounds

// phasesOf lists the phases of each base in the order in which they run.
// Clearing, updating and flushing private copies are phases of one kernel.
var phasesOf = map[variant.Base][]string{
	variant.Global:        {"start", "update"},
	variant.Private:       {"zero", "start", "update", "flush"},
	variant.Coordinator:   {"coordinate"},
	variant.Sort:          {"histogram", "sort", "segments", "store"},
	variant.SegReduce:     {"segments", "store"},
	variant.ThreadPrivate: {"zero", "update", "flush", "sum"},
}
