package latency

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// trials are the warps that all candidates meet.
type trials struct {
	model    *Model
	patterns [][]int32
	warps    int       // of a block
	counts   []float64 // of patterns, by batch
}

// mostBatches bounds the groups of blocks whose means show how much a difference between two
// candidates scatters: stretches, so that what neighbouring warps have in common counts once.
const mostBatches = 64

// newTrials takes the warps of a stream, or draws whole blocks of random ones. The last
// warp of a block may have fewer threads than lanes.
func (p Params) newTrials(o OptimizeOptions) *trials {
	t := &trials{
		model: &Model{Params: p}, patterns: o.Patterns, warps: (o.Threads + p.Lanes - 1) / p.Lanes,
	}
	rng := rand.New(rand.NewPCG(o.Seed, 2))
	for o.Patterns == nil && len(t.patterns) < cmp.Or(o.Samples, DefaultTrials) {
		for w := range t.warps {
			pattern, active := make([]int32, p.Lanes), min(p.Lanes, o.Threads-w*p.Lanes)
			DrawPattern(rng, pattern, o.Words, active)
			if o.Sorted {
				slices.Sort(pattern[:active])
			}
			t.patterns = append(t.patterns, pattern)
		}
	}
	t.counts = make([]float64, min(mostBatches, t.blocks()))
	for i := range t.patterns {
		t.counts[t.batch(i)]++
	}
	return t
}

func (t *trials) blocks() int { return (len(t.patterns) + t.warps - 1) / t.warps }

func (t *trials) batch(i int) int { return i / t.warps * len(t.counts) / t.blocks() }

// candidate takes the means over the warps.
func (t *trials) candidate(v Votes) Candidate {
	c := Candidate{Votes: v, SharedWords: v.Total(), batches: make([]float64, len(t.counts))}
	m, placed := t.model, make([]int32, t.model.Lanes)
	var sum Counts
	for i, pattern := range t.patterns {
		v.Place(placed, pattern, i%t.warps*m.Lanes)
		m.count(placed, nil)
		for term, n := range m.counts {
			sum[term] += n
		}
		b := t.batch(i)
		c.batches[b] += m.Total(&m.counts) / t.counts[b]
	}
	for term := range sum {
		sum[term] /= float64(len(t.patterns))
	}
	c.Means = m.Means(&sum)
	return c
}

// compare measures how far each candidate is behind the first: the mean
// difference, and its standard error from those of the batches,
//
//	√( B/(B-1) Σ batches (n_b/n)²·(d_b-d)² )
func (t *trials) compare(ranking []Candidate) {
	batches, n, first := float64(len(t.counts)), float64(len(t.patterns)), ranking[0]
	for i := range ranking {
		c := &ranking[i]
		c.Behind = c.Cycles - first.Cycles
		sum := 0.0
		for b, mean := range c.batches {
			d := (mean - first.batches[b] - c.Behind) * t.counts[b] / n
			sum += float64(d * d)
		}
		if batches > 1 {
			c.BehindError = math.Sqrt(sum * batches / (batches - 1))
		}
		c.batches = nil
	}
}

// DrawPattern draws a random pattern over words for the first lanes; the others are
// Inactive.
func DrawPattern(rng *rand.Rand, pattern []int32, words, active int) {
	for l := range pattern {
		if pattern[l] = Inactive; l < active {
			pattern[l] = int32(rng.IntN(words))
		}
	}
}
