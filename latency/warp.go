package latency

import (
	"fmt"
	"slices"
)

// Round is one iteration of an operation; operations that do not loop have one.
type Round struct {
	Pending     []int   // lanes that read and try
	Winners     []int   // lanes that acquired their lock, updated and left
	ReadPasses  int     // serial accesses of the read
	WritePasses int     // serial accesses of the write
	Cycles      float64 // the iteration's share of the latency
}

// Term is one part of a prediction: so many of something, and their cycles.
type Term struct {
	Name   string  `json:"name"`
	Count  float64 `json:"count"`
	Cycles float64 `json:"cycles"` // of all together
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
// A loop is [gomezluna13] Algorithm 1: in each iteration all pending lanes read,
// which takes so many serial passes as Algorithm_bank says; one lane per lock,
// the lowest, acquires it (Algorithm_lock); the winners write, and the others
// go round again.
//
//	cycles = Base + Round·(turns-1) + Σ turns [Bank·(read passes-1) + Write·(write passes-1)]
//
// A compare-and-swap loop of software reads once, and its swaps serve the
// lanes of a bank one by one. A native unit does so too, in a single iteration:
// Base + Round·(lanes on the fullest bank - 1). A plain access, and a unit
// that counts, serve different words of a bank one by one:
// Base + Bank·(words on the fullest bank - 1). The further terms are described
// with Constants.
func Warp(pattern []int32, p Params) (Prediction, error) {
	m, err := NewModel(p)
	if err != nil {
		return Prediction{}, err
	}
	if err := p.check(pattern); err != nil {
		return Prediction{}, err
	}
	var out Prediction
	m.count(pattern, func(pending, won uint64, reads, writes int) {
		total := m.Total(&m.counts)
		out.Rounds = append(out.Rounds, Round{
			Pending: m.lanes(pending), Winners: m.lanes(won),
			ReadPasses: reads, WritePasses: writes, Cycles: total - out.Cycles})
		out.Cycles = total
	})
	if len(out.Rounds) > 0 {
		out.Rounds[0].Cycles += m.counts[TermHidden]
	}
	out.Cycles = m.Total(&m.counts)
	for t, n := range m.counts {
		if n != 0 {
			out.Terms = append(out.Terms, Term{termNames[t], n, n * m.Constant(t)})
		}
	}
	return out, nil
}

func (p Params) check(pattern []int32) error {
	if len(pattern) != p.Lanes {
		return fmt.Errorf("%w: %d addresses, want one for each of %d lanes",
			ErrPattern, len(pattern), p.Lanes)
	}
	for lane, word := range pattern {
		if word < Inactive {
			return fmt.Errorf("%w: lane %d: address %d", ErrPattern, lane, word)
		}
	}
	return nil
}

// The parts of a prediction that are counted, in the order of Terms: each is named
// like the constant that it is multiplied by.
const (
	TermBase = iota
	TermRound
	TermBank
	TermWrite
	TermPark
	TermMerge
	TermMergeSaved
	TermSplit
	TermAhead
	TermAheadAgain
	TermAheadLast
	TermStep
	TermPartial
	TermHidden // counted in cycles, at most Constants.Hidden
	TermHalf
	TermPaired
	numTerms
)

// Counts are how much of each term a pattern has, by its number.
type Counts [numTerms]float64

var termNames = [numTerms]string{
	"base", "round", "bank", "write", "park", "merge", "merge_saved", "split",
	"ahead", "ahead_again", "ahead_last", "step", "partial", "hidden", "half", "paired",
}

// each points to the cycles of each term.
func (c *Constants) each() [numTerms]*float64 {
	return [numTerms]*float64{
		&c.Base, &c.Round, &c.Bank, &c.Write, &c.Park, &c.Merge, &c.MergeSaved, &c.Split,
		&c.Ahead, &c.AheadAgain, &c.AheadLast, &c.Step, &c.Partial, &c.Hidden, &c.Half, &c.Paired,
	}
}

// Total sums the cycles of the terms.
func (c *Constants) Total(counts *Counts) float64 {
	sum := counts[TermBase]*c.Base + counts[TermRound]*c.Round + counts[TermBank]*c.Bank +
		counts[TermWrite]*c.Write
	sum += counts[TermPark]*c.Park + counts[TermMerge]*c.Merge +
		counts[TermMergeSaved]*c.MergeSaved
	sum += counts[TermSplit]*c.Split + counts[TermAhead]*c.Ahead +
		counts[TermAheadAgain]*c.AheadAgain
	sum += counts[TermAheadLast]*c.AheadLast + counts[TermStep]*c.Step
	return sum + counts[TermPartial]*c.Partial + counts[TermHidden] + counts[TermHalf]*c.Half +
		counts[TermPaired]*c.Paired
}

// Terms names the parts of a prediction in the order of Model.Counts.
func Terms() []string { return slices.Clone(termNames[:]) }

// Constant returns the cycles of one of a term, by its number in Terms. Hidden
// is counted in cycles: one of it takes one.
func (c *Constants) Constant(number int) float64 {
	if number == TermHidden {
		return 1
	}
	return *c.Term(number)
}

// Term returns the constant of a term, by its number in Terms.
func (c *Constants) Term(number int) *float64 { return c.each()[number] }

// Means are what an operation takes over patterns.
type Means struct {
	Cycles float64
	// Iterations is the number of iterations of the loop, which is the largest number of
	// lanes that share a lock: the lock conflict degree. 1 without a loop.
	Iterations float64
	// ReadPasses and WritePasses are the passes that reads and writes take beyond
	// those of an access without conflict, summed over the iterations; a native unit's
	// count as reads.
	ReadPasses, WritePasses float64
}

// Means reads off mean counts what they say. A native unit counts its further lanes as
// rounds.
func (p Params) Means(counts *Counts) Means {
	m := Means{Cycles: p.Total(counts), Iterations: 1}
	m.ReadPasses, m.WritePasses = counts[TermBank], counts[TermWrite]
	if further := counts[TermRound]; p.Loops() {
		m.Iterations += further
	} else {
		m.ReadPasses += further
	}
	return m
}
