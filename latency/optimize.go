package latency

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/atomtune/atomtune/impl"
)

// DefaultTrials is how many warps Optimize draws where no number is asked for.
const DefaultTrials = 8192

// OptimizeOptions describe the vote space, where its copies live, and the
// stream of updates. Empty lists and zeros after the first three stand for the
// defaults.
type OptimizeOptions struct {
	Words       int // of the vote space
	Threads     int // of a block
	SharedWords int // that the copies of a block may take together

	// default 1, 2, 4, ... up to the lanes of a warp, and the largest number up to there that fits
	Replicas []int
	Pads     []int // default 0, 1, 2, 3, 4 and one less than the banks

	// Sorted draws the same patterns, each in ascending order: near lanes want near words.
	Sorted bool
	// Patterns are warps of a real stream over the vote space, Inactive for
	// lanes without an update, in the order in which the warps of a block take
	// them; then Sorted, Samples and Seed do not matter.
	Patterns [][]int32
	Samples  int // warps to draw, default DefaultTrials, rounded up to whole blocks
	Seed     uint64

	// Worth is the share of the latency that a less simple layout must gain to
	// be chosen, such as 0.01; 0 means any significant gain.
	Worth float64
}

// Candidate is a way to lay out the copies, and the means over the warps.
type Candidate struct {
	Votes
	Means
	SharedWords int
	// Behind is how many cycles more it takes than the fastest candidate, and
	// BehindError the standard error of that over the same warps.
	Behind, BehindError float64

	batches []float64 // mean cycles of batches of blocks
}

// Optimum is the way to lay out the copies, and why.
type Optimum struct {
	// Best is the simplest of the candidates that are as fast as the fastest as
	// far as the warps can tell: Behind by no more than two standard errors, or
	// by no more than OptimizeOptions.Worth. The simplest has the fewest copies,
	// then is cyclic, then has the least padding.
	Best    Votes
	Cycles  float64
	Ranking []Candidate // all, the fastest first
	Reason  string
	Samples int // warps tried
}

// Optimize picks replication, mapping and padding of a vote space, [gomezluna13]
// section 3, by the mean latency of one warp's operation over the warps of a
// block. All candidates meet the same warps. What it costs to clear the copies
// and to sum them up at the end is not counted. Candidates that do not fit are
// left out. Errors wrap ErrParams and ErrPattern.
func (p Params) Optimize(o OptimizeOptions) (Optimum, error) {
	if err := p.checkOptimize(o); err != nil {
		return Optimum{}, err
	}
	t := p.newTrials(o)
	best := Optimum{Samples: len(t.patterns)}
	for _, v := range p.layouts(o) {
		best.Ranking = append(best.Ranking, t.candidate(v))
	}
	slices.SortFunc(best.Ranking, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.Cycles, b.Cycles), simpler(a, b))
	})
	t.compare(best.Ranking)
	chosen := best.Ranking[0]
	for _, c := range best.Ranking[1:] {
		if c.Behind <= max(2*c.BehindError, o.Worth*best.Ranking[0].Cycles) && simpler(c, chosen) < 0 {
			chosen = c
		}
	}
	best.Best, best.Cycles = chosen.Votes, chosen.Cycles
	best.Reason = p.reason(chosen, best.Ranking, o)
	return best, nil
}

func (p Params) checkOptimize(o OptimizeOptions) error {
	v := Votes{Words: o.Words, Replicas: 1, Threads: o.Threads}
	if err := cmp.Or(p.Validate(), v.Validate()); err != nil {
		return err
	}
	switch {
	case o.Words > o.SharedWords:
		return fmt.Errorf("%w: %d words do not fit into %d", ErrParams, o.Words, o.SharedWords)
	case o.Threads > 1<<16:
		return fmt.Errorf("%w: a block of %d threads", ErrParams, o.Threads)
	case o.Samples < 0 || o.Samples > math.MaxInt32:
		return fmt.Errorf("%w: %d samples", ErrParams, o.Samples)
	case !(o.Worth >= 0 && o.Worth < 1):
		return fmt.Errorf("%w: %v of the latency", ErrParams, o.Worth)
	case len(o.Replicas) > 0 && slices.Min(o.Replicas) < 1, len(o.Pads) > 0 && slices.Min(o.Pads) < 0:
		return fmt.Errorf("%w: %d copies, pads %d", ErrParams, o.Replicas, o.Pads)
	case o.Patterns != nil && len(o.Patterns) == 0:
		return fmt.Errorf("%w: a stream without a warp", ErrPattern)
	}
	for i, pattern := range o.Patterns {
		if err := p.check(pattern); err != nil {
			return fmt.Errorf("pattern %d: %w", i, err)
		}
		if most := slices.Max(pattern); int(most) >= o.Words {
			return fmt.Errorf("%w: pattern %d: word %d of %d", ErrPattern, i, most, o.Words)
		}
	}
	return nil
}

func simpler(a, b Candidate) int {
	return cmp.Or(cmp.Compare(a.Replicas, b.Replicas), cmp.Compare(a.Map, b.Map),
		cmp.Compare(a.Pad, b.Pad))
}

// layouts lists the ways to lay out the copies that fit. One copy, with which all others
// are compared, has neither mapping nor padding.
func (p Params) layouts(o OptimizeOptions) []Votes {
	replicas, pads := o.Replicas, o.Pads
	if most := min(p.Lanes, o.SharedWords/o.Words); len(replicas) == 0 {
		for r := 2; r <= most; r *= 2 {
			replicas = append(replicas, r)
		}
		replicas = append(replicas, most)
	}
	if len(pads) == 0 {
		pads = []int{0, 1, 2, 3, 4, max(0, p.Columns()-1)}
	}
	out := []Votes{{Words: o.Words, Replicas: 1, Threads: o.Threads}}
	for _, r := range replicas {
		for _, m := range []impl.Mapping{impl.Cyclic, impl.Block} {
			for _, pad := range pads {
				v := Votes{Words: o.Words, Replicas: r, Pad: pad, Map: m, Threads: o.Threads}
				if r > 1 && v.Validate() == nil && v.Total() <= o.SharedWords && !slices.Contains(out, v) {
					out = append(out, v)
				}
			}
		}
	}
	return out
}

// Votes is a vote space in shared memory: Replicas copies of Words words, each Pad words
// behind the one before, and which thread of a block of Threads uses which copy.
type Votes struct {
	Words    int // vote_space_size, K
	Replicas int // R
	Pad      int
	Map      impl.Mapping
	Threads  int // N, of a block
}

// Validate reports a vote space that cannot be laid out. Errors wrap ErrParams.
func (v Votes) Validate() error {
	const mostWords, mostThreads = 1 << 30, 1 << 20
	if min(v.Words, v.Replicas, v.Threads) < 1 || v.Pad < 0 || max(v.Words, v.Pad) > mostWords ||
		max(v.Replicas, v.Threads) > mostThreads || v.Map > impl.Block || v.Total() > mostWords {
		return fmt.Errorf("%w: %d copies of %d words, %d apart, for %d threads", ErrParams, v.Replicas,
			v.Words, v.Pad, v.Threads)
	}
	return nil
}

// Total is the words that all copies take together.
func (v Votes) Total() int { return v.Replicas*(v.Words+v.Pad) - v.Pad }

// Offset is the first word of the copy that a thread uses, [gomezluna13] section 3, with
// Pad added to the size of a copy. Cyclic, equation (1): copy thread mod R. Block, equation
// (2): copy floor(thread / floor(N/R)) mod R, so that N/R consecutive threads share a copy;
// with more copies than threads each thread has its own.
func (v Votes) Offset(thread int) int {
	if v.Map == impl.Block {
		thread /= max(1, v.Threads/v.Replicas)
	}
	return thread % v.Replicas * (v.Words + v.Pad)
}

// Place moves a warp's pattern over the vote space to the copies of its lanes:
// out[l] = pattern[l] + Offset(thread of lane l). The first lane is the thread
// number first of its block. out and pattern may be the same.
func (v Votes) Place(out, pattern []int32, first int) {
	for l, word := range pattern {
		out[l] = word
		if word != Inactive {
			out[l] = word + int32(v.Offset((first+l)%v.Threads))
		}
	}
}

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
			sum += d * d
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
