package latency

import (
	"math"
	"math/rand/v2"
	"slices"
)

type trials struct {
	model    *Model
	patterns [][]int32
	threads  int
	warps    int // of a block
	placed   []int32
	counts   []float64 // of patterns, by batch
}

// mostBatches bounds the groups of blocks whose means show how much a
// difference between two candidates scatters. Of a real stream they are
// stretches, so that what neighbouring warps have in common counts once.
const mostBatches = 64

func (p Params) newTrials(o OptimizeOptions) (*trials, error) {
	m, err := NewModel(p)
	if err != nil {
		return nil, err
	}
	t := &trials{
		model: m, patterns: o.Patterns, threads: o.Threads,
		warps: (o.Threads + p.Lanes - 1) / p.Lanes, placed: make([]int32, p.Lanes),
	}
	if t.patterns == nil {
		t.draw(o)
	}
	t.counts = make([]float64, min(mostBatches, t.blocks()))
	for i := range t.patterns {
		t.counts[t.batch(i)]++
	}
	return t, nil
}

// draw draws whole blocks of random warps. The last warp of a block may have
// fewer threads than lanes.
func (t *trials) draw(o OptimizeOptions) {
	if o.Samples == 0 {
		o.Samples = DefaultTrials
	}
	rng := rand.New(rand.NewPCG(o.Seed, 2))
	for len(t.patterns) < o.Samples {
		for w := range t.warps {
			pattern := make([]int32, t.model.Lanes)
			active := min(t.model.Lanes, o.Threads-w*t.model.Lanes)
			drawPattern(rng, pattern, o.Words, active)
			if o.Order == Sorted {
				slices.Sort(pattern[:active])
			}
			t.patterns = append(t.patterns, pattern)
		}
	}
}

func (t *trials) blocks() int { return (len(t.patterns) + t.warps - 1) / t.warps }

func (t *trials) batch(i int) int { return i / t.warps * len(t.counts) / t.blocks() }

// candidate takes the means over the warps.
func (t *trials) candidate(v Votes) (Candidate, error) {
	c := Candidate{Votes: v, SharedWords: v.Total(), batches: make([]float64, len(t.counts))}
	var sum Counts
	degree := 0.0
	for i, pattern := range t.patterns {
		v.Place(t.placed, pattern, i%t.warps*t.model.Lanes)
		counts, err := t.model.Counts(t.placed)
		if err != nil {
			return c, err
		}
		for term, n := range counts {
			sum[term] += n
		}
		degree += float64(t.model.BankDegree())
		b := t.batch(i)
		c.batches[b] += t.model.Total(counts) / t.counts[b]
	}
	for term := range sum {
		sum[term] /= float64(len(t.patterns))
	}
	c.Means = t.model.Means(&sum, degree/float64(len(t.patterns)))
	return c, nil
}

// compare measures how far each candidate is behind the first: the mean
// difference, and its standard error from those of the batches,
//
//	√( B/(B-1) Σ batches (n_b/n)²·(d_b-d)² )
func (t *trials) compare(ranking []Candidate) {
	first := ranking[0]
	batches, n := float64(len(t.counts)), float64(len(t.patterns))
	for i := range ranking {
		c := &ranking[i]
		c.Behind = c.Cycles - first.Cycles
		sum := 0.0
		for b, mean := range c.batches {
			d := (mean - first.batches[b] - c.Behind) * t.counts[b] / n
			sum += d * d
		}
		if batches > 1 {
			c.BehindError = math.Sqrt(sum * batches / (batches - 1))
		}
	}
	for i := range ranking {
		ranking[i].batches = nil
	}
}

func drawPattern(rng *rand.Rand, pattern []int32, words, active int) {
	for l := range pattern {
		pattern[l] = Inactive
		if l < active {
			pattern[l] = int32(rng.IntN(words))
		}
	}
}
