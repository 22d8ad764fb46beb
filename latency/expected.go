package latency

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/atomtune/atomtune/device"
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

// stream numbers the random streams of this package, so that the same seed
// draws different patterns for different purposes.
const (
	streamExpected = 1
	streamOptimize = 2
)

// sampled is the mean over random patterns. Where the turns are known their
// share is taken from there, and only the rest is sampled.
func (p Params) sampled(v Votes, o ExpectOptions, known mean) (Expectation, error) {
	if o.Samples == 0 {
		o.Samples = DefaultSamples
	}
	m, err := NewModel(p)
	if err != nil {
		return Expectation{}, err
	}
	method := "sampled"
	if known.turns != nil {
		method = "sampled, turns exact"
	}
	sum, degree, square, err := m.sample(v, o, known)
	if err != nil {
		return Expectation{}, err
	}
	n := float64(o.Samples)
	for t := range sum {
		sum[t] /= n
	}
	rest := p.cycles(&sum)
	if known.turns != nil {
		sum[termRound], sum[termStep] = known.counts[termRound], known.counts[termStep]
	}
	e := p.expectation(&sum, degree/n)
	e.Samples, e.Method = o.Samples, method
	if n > 1 {
		e.StandardError = math.Sqrt(math.Max(0, square/n-rest*rest) / (n - 1))
	} else {
		e.StandardError = math.Inf(1)
	}
	return e, nil
}

// sample sums the counts of random patterns, their bank conflict degrees and
// the squares of their cycles, without what is known.
func (m *Model) sample(v Votes, o ExpectOptions, known mean) (
	sum [numTerms]float64, degree, square float64, err error,
) {
	rng := rand.New(rand.NewPCG(o.Seed, streamExpected))
	pattern := make([]int32, m.Lanes)
	for range o.Samples {
		drawPattern(rng, pattern, v.Words, o.Active)
		v.Place(pattern, pattern, o.First)
		if err = m.check(pattern); err != nil {
			return
		}
		m.count(pattern, nil)
		degree += float64(m.bankDegree())
		if known.turns != nil {
			m.counts[termRound], m.counts[termStep] = 0, 0
		}
		for t, n := range m.counts {
			sum[t] += n
		}
		cycles := m.cycles(&m.counts)
		square += cycles * cycles
	}
	return
}

// bankDegree is the bank conflict degree of the pattern at hand.
func (m *Model) bankDegree() int {
	if m.active == 0 {
		return 0
	}
	together, _ := m.passes(^uint64(0)>>(64-m.active), m.Mechanism == device.Native)
	return together
}

// drawPattern draws a random pattern over words for the first lanes.
func drawPattern(rng *rand.Rand, pattern []int32, words, active int) {
	for l := range pattern {
		pattern[l] = Inactive
		if l < active {
			pattern[l] = int32(rng.IntN(words))
		}
	}
}
