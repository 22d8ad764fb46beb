package latency

import (
	"math"
	"math/rand/v2"

	"github.com/atomtune/atomtune/device"
)

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
func (m *Model) sample(v Votes, o ExpectOptions, known mean) (sum [numTerms]float64, degree, square float64, err error) {
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
