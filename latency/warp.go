package latency

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
)

// Round is one turn of an operation; operations that do not loop have one.
type Round struct {
	Pending     []int   // lanes that read and try
	Winners     []int   // lanes that acquired their lock, updated and left
	ReadPasses  int     // serial accesses of the read
	WritePasses int     // serial accesses of the write
	Cycles      float64 // the turn's share of the latency
}

// Term is one part of a prediction: so many of something, and their cycles.
type Term struct {
	Name   string
	Count  float64
	Cycles float64
}

// Prediction is the latency of a pattern. The cycles of its rounds sum to it,
// and so do the cycles of its terms.
type Prediction struct {
	Cycles float64
	Rounds []Round
	Terms  []Term
}

// Warp predicts the latency of one warp's operation on the words of its lanes,
// Inactive for lanes that take no part. A pattern without an active lane costs
// nothing. Errors wrap ErrPattern or ErrParams.
//
// A loop is [gomezluna13] Algorithm 1: in each turn all pending lanes read,
// which takes so many serial passes as Algorithm_bank says; one lane per lock,
// the lowest, acquires it (Algorithm_lock); the winners write, and the others
// go round again.
//
//	cycles = Base + Round·(turns-1) + Σ turns [Bank·(read passes-1) + Write·(write passes-1)]
//
// A compare-and-swap loop of software reads once, and its swaps serve the
// lanes of a bank one by one. A native unit does so too, in a single turn:
// Base + Round·(lanes on the fullest bank - 1). A plain access, and a unit
// that counts, serve different words of a bank one by one:
// Base + Bank·(words on the fullest bank - 1). The further terms are described
// with Constants.
func Warp(pattern []int32, p Params) (Prediction, error) {
	if err := p.Validate(); err != nil {
		return Prediction{}, err
	}
	if err := p.check(pattern); err != nil {
		return Prediction{}, err
	}
	w := walk{p: p, pattern: pattern}
	var pending []int
	for lane, word := range pattern {
		if word != Inactive {
			pending = append(pending, lane)
		}
	}
	if len(pending) == 0 {
		return Prediction{}, nil
	}
	w.count(termBase, 1)
	w.apart.whole = len(pending) == p.Lanes
	if !w.apart.whole {
		w.count(termPartial, 1)
	}
	for len(pending) > 0 {
		pending = w.turn(pending)
	}
	w.hide()
	return w.prediction(), nil
}

func (p Params) check(pattern []int32) error {
	if len(pattern) != p.Lanes {
		return fmt.Errorf("%w: %d addresses, want one for each of %d lanes", ErrPattern, len(pattern), p.Lanes)
	}
	for lane, word := range pattern {
		if word < Inactive {
			return fmt.Errorf("%w: lane %d: address %d", ErrPattern, lane, word)
		}
	}
	return nil
}

// walk goes through the turns of one operation and counts.
type walk struct {
	p       Params
	pattern []int32
	rounds  []Round
	counts  [numTerms]float64
	before  float64 // cycles counted before the turn
	parked  bool    // at the last branch the lanes that were done were more
	merges  int     // how often parked lanes had to be merged
	apart   apart
}

func (w *walk) count(t term, n float64) { w.counts[t] += n }

// turn counts one turn and returns the lanes that go round again.
func (w *walk) turn(pending []int) []int {
	first := len(w.rounds) == 0
	r := Round{Pending: pending}
	if !first {
		w.count(termRound, 1)
		if len(w.rounds)+1 == w.p.StepTurn {
			w.count(termStep, 1)
		}
	}
	var left []int
	switch w.p.Mechanism {
	case device.Native:
		r.ReadPasses = w.p.passes(w.pattern, pending, true)
		r.Winners = pending
		w.count(termRound, float64(r.ReadPasses-w.p.free(pending)))
	case device.Merge, device.Access:
		r.ReadPasses = w.read(pending)
		r.Winners = pending
	case device.CAS:
		if first {
			r.ReadPasses = w.read(pending)
		}
		r.WritePasses = w.p.passes(w.pattern, pending, true)
		w.count(termWrite, float64(r.WritePasses-w.p.free(pending)))
		r.Winners, left = w.p.winners(w.pattern, pending)
	default:
		r.ReadPasses = w.read(pending)
		r.Winners, left = w.p.winners(w.pattern, pending)
		r.WritePasses = w.p.passes(w.pattern, r.Winners, false)
		w.count(termWrite, float64(r.WritePasses-w.p.free(r.Winners)))
	}
	switch {
	case w.p.Apart:
		w.apart.branch(&w.counts, len(r.Winners), len(left))
	case len(left) > 0:
		w.branch(len(r.Winners), len(left))
	}
	total := w.p.cycles(&w.counts)
	r.Cycles = total - w.before
	w.before = total
	w.rounds = append(w.rounds, r)
	return left
}

// read counts the passes of a read.
func (w *walk) read(pending []int) int {
	passes, free := w.p.passes(w.pattern, pending, false), w.p.free(pending)
	if w.p.Wide && w.p.Pairs && w.p.pairs(w.pattern, pending) {
		passes = w.p.together(w.pattern, pending)
		w.count(termPaired, -1)
	}
	if w.p.shortens() && free == 1 {
		w.count(termHalf, -1)
		free = 2
	}
	w.count(termBank, float64(passes-free))
	return passes
}

// branch counts what it costs that the warp splits into lanes that are done
// and lanes that go round again.
func (w *walk) branch(done, again int) {
	if w.parked {
		w.merges++
		w.count(termPark, -1)
		if w.merges == 1 {
			w.count(termMerge, 1)
		} else {
			w.count(termMergeSaved, -1)
		}
	}
	w.parked = done > again
	if w.parked {
		w.count(termPark, 1)
	}
}

// hide takes off what passes of the first read beneath other work.
func (w *walk) hide() {
	if w.p.Hidden == 0 || w.p.Mechanism != device.CAS {
		return
	}
	first := &w.rounds[0]
	hidden := min(w.p.Hidden, w.p.Bank*float64(max(0, first.ReadPasses-w.p.free(first.Pending))))
	w.counts[termHidden] = -hidden
	first.Cycles -= hidden
}

func (w *walk) prediction() Prediction {
	out := Prediction{Rounds: w.rounds, Cycles: w.p.cycles(&w.counts)}
	for t, n := range w.counts {
		if n != 0 {
			out.Terms = append(out.Terms, Term{termNames[t], n, n * w.p.constant(term(t))})
		}
	}
	return out
}
