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
	b     *Bundle
	bins  uint64 // targets; more than any implementation takes where none can run
	st    stream
	grids grids
	x     phaseBounds
}

// Start makes p price a stream, whatever it priced before, without allocation.
// Statistics that no stream has give times that no call takes: see Bundle.Check.
func (b *Bundle) Start(s *collision.Stats, p *Pricing) {
	p.b, p.bins, p.st.Stats = b, s.Bins, s
	p.st.known, p.st.spent = [ways]bool{}, [ways]bool{variant.None: true, byScatter: true}
	p.grids.small.perSM, p.grids.other.perSM = 0, 0
	if s.Updates > 0 {
		b.read(s, &p.st)
	}
	if s.Updates == 0 || uint64(s.WarpSize) != b.lanesPerWarp {
		p.bins = math.MaxUint64
	}
}

// US returns the predicted time of one call of the implementation at that place
// in the list of CompileAll, exactly the one that Model.US returns: +Inf where
// the implementation cannot run the stream.
func (p *Pricing) US(place int) float64 {
	us, _ := p.Below(place, math.Inf(1))
	return us
}

// Below returns what US returns, and true, unless that exceeds a limit: then it
// returns false, and a lower bound of it, as soon as a part of the time shows it.
// Each such part is made of the terms of the whole in their order; as rounding
// keeps order, the whole is no less than it to the last bit.
func (p *Pricing) Below(place int, limit float64) (us float64, ok bool) {
	us = p.us(&p.b.list[place], limit)
	return us, us <= limit
}

func (p *Pricing) us(c *candidate, limit float64) float64 {
	if p.bins > c.bins {
		return math.Inf(1)
	}
	switch c.family {
	case Plain, Dealt:
		return p.b.directUS(c, p.b.effortOf(c, &p.st), &p.st, &p.x)
	case Copies, Merged:
		return p.copiesUS(c, limit)
	case Reduced:
		return p.b.reducedUS(c, &p.st, &p.x, limit)
	}
	return p.otherUS(c.family)
}

func (p *Pricing) otherUS(f Family) float64 {
	b, st := p.b, &p.st
	switch f {
	case Sorted:
		return b.sortUS(st, &p.x)
	case Threads:
		return b.threadPrivateUS(st, &p.x)
	case Served:
		return st.lead + b.coordinatorUS(st, &p.x)
	}
	if st.Runs != st.Unique {
		return math.Inf(1)
	}
	return b.segReduceUS(st, &p.x)
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
