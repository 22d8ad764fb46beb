package collision

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/atomtune/atomtune/collision/internal/kernel"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// confidence is the probability with which an interval holds the value of the whole stream.
const confidence = 0.95

// Sampling says how far statistics from a sample can be trusted; doc/results/sampling.md derives them.
// The sample is drawn without replacement from the complete blocks of the stream; the incomplete
// block at the end is always part of it. With N complete blocks, k of them kept, and s the standard
// deviation of a statistic's total between kept blocks, the half-width of its mean over blocks is
//
//	t(k-1, 0.975) · s/√k · √(1 - k/N)
//
// Where a few blocks of a long stream differ wildly from all the others, a sample that missed them
// claims too narrow an interval. Bins is a lower bound unless Options.Bins is set.
type Sampling struct {
	Seed        uint64 `json:"seed"`
	Blocks      uint64 `json:"blocks"`       // complete blocks in the sample, k
	TotalBlocks uint64 `json:"total_blocks"` // complete blocks in the stream, N
	Warps       uint64 `json:"warps"`        // warps in the sample, the last block's included
	Updates     uint64 `json:"updates"`      // updates in the sample, the last block's included
	// Sorted says that the whole stream is known to be sorted: see package survey.
	Sorted bool `json:"sorted,omitempty"`

	Confidence float64    `json:"confidence"` // 0.95, of all half-widths
	HalfWidth  HalfWidths `json:"half_width"`

	// UniqueLow and UniqueHigh bound Unique with certainty. Unique itself is the estimate Chao2,
	// which tends to lie below the truth where targets differ much in frequency.
	UniqueLow  uint64 `json:"unique_low"`
	UniqueHigh uint64 `json:"unique_high"`
	// MaxFrequencyLow bounds MaxFrequency from below with certainty. MaxFrequency itself is
	// estimated from one half of the sample for the target that is most frequent in the other
	// half, and can be too low. So are the chunk frequencies.
	MaxFrequencyLow       uint64 `json:"max_frequency_low"`
	MaxChunkFrequency4Low uint64 `json:"max_chunk_frequency_4_low"`
	MaxChunkFrequency8Low uint64 `json:"max_chunk_frequency_8_low"`
}

type population struct {
	blocks uint64        // N
	kept   []kernel.Sums // of the kept blocks
	last   kernel.Sums   // of the last, incomplete block
}

// total estimates the total of a statistic over the stream and its half-width,
// from its values in the kept blocks and in the last block.
func (p *population) total(kept []float64, last float64) (total, half float64) {
	if len(kept) == 0 {
		return last, 0
	}
	mean, variance := meanVariance(kept)
	return p.expand(len(kept), mean, variance, last)
}

// expand does so from the mean and the variance of the values of so many kept blocks.
func (p *population) expand(kept int, mean, variance, last float64) (total, half float64) {
	n, k := float64(p.blocks), float64(kept)
	total = n*mean + last
	if k >= n {
		return total, 0
	}
	return total, n * studentQuantile(kept-1) * math.Sqrt(variance/k*(1-k/n))
}

func (p *population) mean(of func(*kernel.Sums) float64, units float64) (mean, half float64) {
	kept := make([]float64, len(p.kept))
	for i := range kept {
		kept[i] = of(&p.kept[i])
	}
	total, half := p.total(kept, of(&p.last))
	return total / units, half / units
}

var quantiles sync.Map

// studentQuantile is the (1 + confidence)/2 quantile of Student's t. One takes longer than to sort a block.
func studentQuantile(degrees int) float64 {
	if q, known := quantiles.Load(degrees); known {
		return q.(float64)
	}
	q := 1.9
	for range 64 { // Newton's steps rise to it: the probability is concave
		const h = 1e-7
		p := withinStudent(q, degrees)
		step := (confidence - p) * h * q / (withinStudent(q+h*q, degrees) - p)
		if q += step; math.Abs(step) < 1e-13*q {
			break
		}
	}
	q = math.Round(q*(1<<32)) / (1 << 32) // processors may differ in what comes behind that
	quantiles.Store(degrees, q)
	return q
}

// withinStudent is the probability that Student's t with so many degrees of freedom lies between -t and
// t, by the finite sums of M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 1964,
// equations 26.7.3 and 26.7.4.
func withinStudent(t float64, degrees int) float64 {
	n := float64(degrees)
	hypotenuse := n + t*t
	sine, squared := t/math.Sqrt(hypotenuse), n/hypotenuse // of the angle, and its cosine's square
	term, sum, first := 1.0, 0.0, 2
	if degrees%2 == 1 {
		term, first = math.Sqrt(squared), 3
	}
	for k := first; k <= degrees; k += 2 {
		sum += term
		term = term * squared * (float64(k) - 1) / float64(k)
	}
	if degrees%2 == 0 {
		return sine * sum
	}
	return (math.Atan(t/math.Sqrt(n)) + sine*sum) * 2 / math.Pi
}

// sample keeps the Options.Sample complete blocks of a stream with the lowest priority. The
// priority of a block is a pseudorandom number drawn from seed and block number, so each set of
// so many blocks is equally likely to be kept, however the stream is cut.
type sample struct {
	opt    Options
	kept   byPriority
	next   uint64 // number of the next block
	before int64  // the target before it; -1: there is none
}

type keptBlock struct {
	number, priority uint64
	keys             []uint32
	before           int64 // the target before the block; -1: there is none
}

// byPriority is a heap whose first block is the one to drop next.
type byPriority []keptBlock

func (h byPriority) Len() int           { return len(h) }
func (h byPriority) Less(i, j int) bool { return h[i].compare(&h[j]) > 0 }
func (h byPriority) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *byPriority) Push(x any)        { *h = append(*h, x.(keptBlock)) }
func (h *byPriority) Pop() any {
	last := len(*h) - 1
	b := (*h)[last]
	*h = (*h)[:last]
	return b
}

func (b *keptBlock) compare(c *keptBlock) int {
	return cmp.Or(cmp.Compare(b.priority, c.priority), cmp.Compare(b.number, c.number))
}

// priority returns a pseudorandom number for a block: the first of the generator that is
// seeded with the first of the seed's, plus the block's number.
func priority(seed, block uint64) uint64 {
	return splitmix.New(splitmix.New(seed).Uint64() + block).Uint64()
}

// take appends complete blocks to the stream and keeps copies of some. It copies last, as most
// blocks of a long stretch have been dropped by then. The error is that of Options.check.
func (s *sample) take(keys []uint32) error {
	from := s.next
	for keys := range slices.Chunk(keys, s.opt.BlockSize) {
		b := keptBlock{s.next, priority(s.opt.Seed, s.next), keys, s.before}
		s.next++
		s.before = int64(keys[len(keys)-1])
		switch {
		case len(s.kept) < s.opt.Sample:
			s.kept = append(s.kept, b)
			heap.Fix(&s.kept, len(s.kept)-1)
		case s.kept[0].compare(&b) > 0:
			s.kept[0] = b
			heap.Fix(&s.kept, 0)
		}
	}
	for i := range s.kept {
		if b := &s.kept[i]; b.number >= from {
			b.keys = slices.Clone(b.keys)
			if err := s.opt.check(b.keys, b.number*uint64(s.opt.BlockSize)); err != nil {
				return err
			}
		}
	}
	return nil
}

// blocks returns the kept blocks in the order of their priority, which is a random order.
func (s *sample) blocks() []keptBlock {
	return slices.SortedFunc(slices.Values(s.kept), func(x, y keptBlock) int { return x.compare(&y) })
}

func notEmpty(s Stats) (Stats, error) {
	if s.Updates == 0 {
		return s, fmt.Errorf("%w: no update in the sample", ErrEmpty)
	}
	return s, nil
}

// stats estimates the statistics of a stream with so much padding that ends in an incomplete block.
func (s *sample) stats(last []uint32, ignored uint64) (Stats, error) {
	seen := s.next * uint64(s.opt.BlockSize)
	if err := s.opt.check(last, seen); err != nil {
		return Stats{}, err
	}
	p := newEstimator(s.opt)
	for _, b := range s.blocks() {
		p.keys = append(p.keys, b.keys...)
		p.before = append(p.before, b.before)
	}
	p.last, p.before = last, append(p.before, s.before)
	return notEmpty(p.stats(seen+uint64(len(last)), int64(ignored)))
}
