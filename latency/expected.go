package latency

import (
	"fmt"
	"math"
)

// DefaultSamples is how many patterns are drawn where the exact mean is not
// known and no number is asked for.
const DefaultSamples = 100_000

// ExpectOptions say which warp is meant and what to do where its mean is not
// known exactly.
type ExpectOptions struct {
	// First is the number, in its block, of the warp's first thread. It matters
	// where a warp's copies depend on where it stands, as in block mapping.
	First int
	// Active is how many lanes take part, the first ones; 0 means all.
	Active int
	// Samples is how many patterns to draw where sampling is needed; 0 means
	// DefaultSamples. Seed draws them.
	Samples int
	Seed    uint64
	// Sampled asks for samples even where the exact mean is known, and uses
	// nothing of what is known: a check on it.
	Sampled bool
}

// Expectation is what an operation takes in the mean.
type Expectation struct {
	Cycles float64
	// Turns is the number of turns of the loop, which is the largest number of
	// lanes that share a lock: the lock conflict degree. 1 without a loop.
	Turns float64
	// BankDegree is the bank conflict degree of the pattern: the different
	// words on its fullest bank, or the lanes on it where a native unit serves
	// them one by one.
	BankDegree float64
	// ReadPasses and WritePasses are the passes that reads and writes take beyond
	// those of an access without conflict, summed over the turns; a native unit's
	// count as reads.
	ReadPasses, WritePasses float64
	// Exact says that all is exact but for the rounding of floating point.
	Exact bool
	// StandardError is that of Cycles, 0 where Exact.
	StandardError float64
	// Samples is the number of patterns drawn, 0 where Exact.
	Samples int
	// Method is "exact", "sampled", or "sampled, turns exact": then Turns has
	// no sampling error, and its share of Cycles has none.
	Method string
}

// Expected returns the mean of Warp over random patterns: each active lane
// wants any of v.Words words, independently and uniformly, and finds it in the
// copy that v gives to its thread. That is the setting of [gomezluna13] section
// 3, whose mean over 1,000,000 patterns it replaces by generating functions.
// doc/latency.md derives them and lists what is exact; all else is sampled.
// Errors wrap ErrParams.
func (p Params) Expected(v Votes, o ExpectOptions) (Expectation, error) {
	if err := p.checkExpected(v, o); err != nil {
		return Expectation{}, err
	}
	if o.Active == 0 {
		o.Active = p.Lanes
	}
	if o.Sampled {
		return p.sampled(v, o, mean{})
	}
	m := p.mean(newPlacement(v, o.First, o.Active))
	if m.known {
		e := p.expectation(&m.counts, m.degree)
		e.Exact, e.Method = true, "exact"
		return e, nil
	}
	return p.sampled(v, o, m)
}

func (p Params) checkExpected(v Votes, o ExpectOptions) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if err := v.Validate(); err != nil {
		return err
	}
	switch {
	case o.First < 0 || o.First >= v.Threads:
		return fmt.Errorf("%w: a warp that starts at thread %d of %d", ErrParams, o.First, v.Threads)
	case o.Active < 0 || o.Active > p.Lanes:
		return fmt.Errorf("%w: %d active lanes of %d", ErrParams, o.Active, p.Lanes)
	case o.Samples < 0 || o.Samples > math.MaxInt32:
		return fmt.Errorf("%w: %d samples", ErrParams, o.Samples)
	}
	return nil
}

// expectation reads off mean counts what they say.
func (p Params) expectation(counts *[numTerms]float64, degree float64) Expectation {
	e := Expectation{Cycles: p.cycles(counts), Turns: 1, BankDegree: degree}
	switch further := counts[termRound]; {
	case p.Loops():
		e.Turns += further
		e.ReadPasses, e.WritePasses = counts[termBank], counts[termWrite]
	default:
		// A native unit counts its further lanes as rounds.
		e.ReadPasses = counts[termBank] + further
	}
	return e
}
