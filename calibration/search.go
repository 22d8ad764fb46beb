package calibration

import (
	"cmp"
	"math"
	"slices"

	"github.com/atomtune/atomtune/calibration/regression"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// branchTerms are the terms of which one way to describe the steps of a loop
// is chosen: parked lanes, or one step at an iteration.
var branchTerms = []int{latency.TermPark, latency.TermMerge, latency.TermMergeSaved}

// candidate is one structure with the constants that suit it best.
type candidate struct {
	latency.Structure
	regression.Model
	dependent []int   // terms that the others determine
	hidden    float64 // passes of the first read beneath other work
	errs      []float64
	scale     float64 // of errs
	loss      float64 // of a row, in squared noise, at most 16 each
	doubts    []Unidentified
}

// search fits every structure and returns the best one, pruned. Of many rows a
// part serves to pick the structures that are fitted to all.
func search(data rows, wide bool) *candidate {
	all := contenders(data, promisingOf(data, wide))
	best := rank(all)
	doubts := alternatives(all, best)
	best = rank(slices.Concat([]*candidate{best}, stepped(data, best), covered(data, best)))
	dependent := best.dependent
	best.prune()
	best.unroll()
	best.doubts = append(doubts, best.unsupported()...)
	best.name()
	best.confound(dependent)
	return best
}

const promisingStructures = 24

// promisingOf returns the structures that are fitted to all rows: of many rows, those that a part of
// them picks.
func promisingOf(data rows, wide bool) []latency.Structure {
	promising := structures(data, wide)
	if data.thin == nil {
		return promising
	}
	all := fitAll(data.thinned(), promising, (*candidate).fit)
	rank(all)
	slices.SortStableFunc(all, byPenalised)
	promising = nil
	for _, c := range all[:min(len(all), promisingStructures)] {
		promising = append(promising, c.Structure)
	}
	return promising
}

// fitAll makes a candidate of each structure. One was found to count all rows, so that all do.
func fitAll(data rows, all []latency.Structure, fit func(*candidate)) (fitted []*candidate) {
	for _, s := range all {
		design, err := data.design(s)
		if err != nil {
			panic(err)
		}
		use := slices.Repeat([]bool{true}, len(latency.Terms()))
		c := &candidate{Structure: s, Model: regression.Model{Design: design, Y: data.cycles, Use: use}}
		fit(c)
		fitted = append(fitted, c)
	}
	return fitted
}

func (c *candidate) fit() {
	c.dependent = c.DropDependent()
	c.Solve()
	c.DropNegative(c.Solve)
	c.errs = c.Errors()
	c.scale = regression.ScaleOf(c.errs)
}

// structures lists what is searched: mechanisms, numbers of banks and of locks in powers of two.
// Lock loops and hardware loops of 4-byte words are one structure; name tells them apart.
func structures(data rows, wide bool) []latency.Structure {
	var all []latency.Structure
	add := func(s latency.Structure) {
		s.Lanes, s.Wide = data.measured.Lanes, wide
		all = append(all, s)
	}
	for _, banks := range []int{32, 16, 64, 8, 128, 4} { // of equally good ones the first is taken
		add(latency.Structure{Mechanism: device.Native, Banks: banks})
		add(latency.Structure{Mechanism: device.Access, Banks: banks})
		add(latency.Structure{Mechanism: device.CAS, Banks: banks})
		add(latency.Structure{Mechanism: device.CAS, Banks: banks, Apart: true})
		for locks := 1; locks <= 1<<16; locks *= 2 {
			add(latency.Structure{Mechanism: device.Lock, Banks: banks, Locks: locks})
			if wide {
				add(latency.Structure{Mechanism: device.Spin, Banks: banks, Locks: locks})
			}
		}
	}
	for _, s := range all {
		if s.Wide && (s.Mechanism == device.Spin || s.Mechanism == device.Access) {
			s.Pairs = true
			all = append(all, s)
		}
	}
	return all
}

// noiseOf returns the noise of the candidate whose errors are smallest in the middle.
func noiseOf(all []*candidate) float64 {
	noise := math.Inf(1)
	for _, c := range all {
		noise = min(noise, c.scale)
	}
	return max(noise, regression.LeastScale)
}

// rank gives each candidate its loss and returns the one with the least; of those that do equally
// well, the first.
func rank(all []*candidate) *candidate {
	noise := noiseOf(all)
	for _, c := range all {
		c.loss = lossOf(c.errs, noise)
		if c.idles() {
			c.loss = mostLoss
		}
	}
	best := slices.MinFunc(all, byPenalised)
	for _, c := range all {
		if c.penalised() <= best.penalised()+equallyGood {
			return c
		}
	}
	return best
}

// idles reports a loop whose further iterations cost nothing: it is none.
func (c *candidate) idles() bool {
	return c.Loops() && !c.Use[latency.TermRound] &&
		slices.ContainsFunc(c.X, func(row []float64) bool { return row[latency.TermRound] > 0 })
}

const equallyGood = 1e-9 // the difference in penalised loss that is not significant
const mostLoss = 16      // of a row, and so of all: four times the noise off

// penalised is the loss over all rows, plus log(rows) for each constant: the
// Bayesian information criterion.
func (c *candidate) penalised() float64 {
	n, choices := float64(len(c.Y)), len(c.Terms())
	if c.StepIteration > 0 {
		choices++ // the iteration was chosen too
	}
	return n*c.loss + math.Log(n)*float64(choices)
}

func byPenalised(a, b *candidate) int { return cmp.Compare(a.penalised(), b.penalised()) }

func lossOf(errs []float64, noise float64) float64 {
	sum := 0.0
	for _, e := range errs {
		u := e / noise
		sum += min(u*u, mostLoss)
	}
	return sum / float64(len(errs))
}

func (c *candidate) params() latency.Params {
	p := latency.Params{Structure: c.Structure}
	for _, j := range c.Terms() {
		*p.Term(j) = c.B[j]
	}
	if p.Step == 0 {
		p.StepIteration = 0
	}
	p.Pairs = p.Paired > 0
	p.Apart = p.Split > 0 || p.Ahead > 0 || p.AheadAgain > 0 || p.AheadLast > 0
	p.Hidden = c.hidden * p.Bank
	return p
}
