// Package expectation gives the mean latency of one warp's operation on shared memory
// over random patterns, in closed form where that is known.
//
// References: those of package latency.
package expectation

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// DefaultSamples is how many patterns are drawn where the exact mean is not
// known and no number is asked for.
const DefaultSamples = 100_000

// Options say which warp is meant and what to do where its mean is not
// known exactly.
type Options struct {
	First   int    // thread of its block that the warp begins with: block mapping depends on it
	Active  int    // lanes that take part, the first ones; 0 means all
	Samples int    // patterns to draw where the mean is not known; 0 means DefaultSamples
	Seed    uint64 // draws them
}

// Expectation is what an operation takes in the mean.
type Expectation struct {
	latency.Means
	// BankDegree is the bank conflict degree: the different words on the fullest bank, or the
	// lanes on it where a native unit serves them one by one.
	BankDegree    float64
	Exact         bool    // but for the rounding of floating point
	StandardError float64 // of Cycles; 0 where Exact
	Samples       int     // patterns drawn; 0 where Exact
	// Method is "exact", "sampled", or "sampled, turns exact": then Turns has
	// no sampling error, and its share of Cycles has none.
	Method string
}

// operation is what the means are of.
type operation struct{ latency.Params }

// Of returns the mean of latency.Warp over random patterns: each active lane
// wants any of v.Words words, independently and uniformly, and finds it in the
// copy that v gives to its thread. That is the setting of [gomezluna13] section
// 3, whose mean over 1,000,000 patterns it replaces by generating functions.
// doc/results/latency.md derives them and lists what is exact; all else is sampled.
// Errors wrap latency.ErrParams.
func Of(params latency.Params, v latency.Votes, o Options) (Expectation, error) {
	p := operation{params}
	if err := p.check(v, o); err != nil {
		return Expectation{}, err
	}
	o.Active = cmp.Or(o.Active, p.Lanes)
	m := p.mean(newPlacement(v, o.First, o.Active))
	if m.known {
		e := Expectation{Means: p.Means(&m.counts), BankDegree: m.degree}
		e.Exact, e.Method = true, "exact"
		return e, nil
	}
	return p.sampled(v, o, m)
}

func (p operation) check(v latency.Votes, o Options) error {
	if err := cmp.Or(p.Validate(), v.Validate()); err != nil {
		return err
	}
	switch {
	case o.First < 0 || o.First >= v.Threads:
		return fmt.Errorf("%w: a warp that starts at thread %d of %d", latency.ErrParams, o.First,
			v.Threads)
	case o.Active < 0 || o.Active > p.Lanes:
		return fmt.Errorf("%w: %d active lanes of %d", latency.ErrParams, o.Active, p.Lanes)
	case o.Samples < 0 || o.Samples > math.MaxInt32:
		return fmt.Errorf("%w: %d samples", latency.ErrParams, o.Samples)
	}
	return nil
}

// turnTerms are the terms that the distribution of the iterations determines.
var turnTerms = [...]int{latency.TermRound, latency.TermStep}

// sampled is the mean over random patterns. Where the iterations are known their
// share is taken from there, and only the rest is sampled.
func (p operation) sampled(v latency.Votes, o Options, known mean) (Expectation, error) {
	e := Expectation{Samples: cmp.Or(o.Samples, DefaultSamples), Method: "sampled"}
	if known.iterations != nil {
		e.Method = "sampled, turns exact"
	}
	model, err := latency.NewModel(p.Params)
	banks, errBanks := latency.NewModel(p.access())
	if err := cmp.Or(err, errBanks); err != nil {
		return Expectation{}, err
	}
	var sum latency.Counts
	square, rng, pattern := 0.0, rand.New(rand.NewPCG(o.Seed, 1)), make([]int32, p.Lanes)
	for range e.Samples {
		latency.DrawPattern(rng, pattern, v.Words, o.Active)
		v.Place(pattern, pattern, o.First)
		degree, err := banks.Cycles(pattern)
		counts, errCounts := model.Counts(pattern)
		if err := cmp.Or(err, errCounts); err != nil {
			return Expectation{}, err
		}
		e.BankDegree += degree
		for _, t := range turnTerms {
			if known.iterations != nil {
				counts[t] = 0
			}
		}
		for t, n := range counts {
			sum[t] += n
		}
		cycles := model.Total(counts)
		square += cycles * cycles
	}
	n := float64(e.Samples)
	e.BankDegree /= n
	for t := range sum {
		sum[t] /= n
	}
	sampled := p.Total(&sum)
	e.StandardError = math.Inf(1)
	if n > 1 {
		e.StandardError = math.Sqrt(math.Max(0, square/n-sampled*sampled) / (n - 1))
	}
	for _, t := range turnTerms {
		if known.iterations != nil {
			sum[t] = known.counts[t]
		}
	}
	e.Means = p.Means(&sum)
	return e, nil
}

// access is an access whose cycles are the bank conflict degree.
func (p operation) access() latency.Params {
	s := latency.Structure{Mechanism: device.Access, Lanes: p.Lanes, Banks: p.Columns()}
	if p.Mechanism == device.Native {
		s.Mechanism = device.Native
	}
	return latency.Params{Structure: s, Constants: latency.Constants{Base: 1, Round: 1, Bank: 1}}
}
