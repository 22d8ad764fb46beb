package latency

import "fmt"

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
