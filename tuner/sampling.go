package tuner

import (
	"cmp"
	"fmt"
	"math"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/model"
)

// The defaults of SamplingBudget: about what one core of a busy EPYC server takes for
// a sample of 8 blocks, all statistics and the choice, and the time of a few kernels.
const (
	DefaultSampleNS   = 40
	DefaultSamplingUS = 100
)

const (
	blockSize    = 256 // updates of a block in statistics
	firstBlocks  = 8   // of the first sample
	moreBlocks   = 4   // factor from one sample to the next
	mostBlocks   = 512 // of the last sample
	leastCharged = 512 // updates for which any sample is charged, whatever its length
)

// SamplingBudget says what sampling a stream costs and how many calls its answer serves. The
// zero value is one call on a stream in the host's memory.
type SamplingBudget struct {
	Calls int // that the answer serves; 0 means 1
	// CostUS is what each sample costs besides, for instance to bring it from the device.
	CostUS      float64
	NSPerUpdate float64 // what each sampled update costs; 0 means DefaultSampleNS
	// MostUS bounds the estimated cost of all samples together; 0 means DefaultSamplingUS, or the
	// first sample alone where that costs more.
	MostUS float64
	Seed   uint64 // selects the blocks of the samples
}

// Validate returns an error that wraps ErrOptions for a number that is negative or NaN.
func (l SamplingBudget) Validate() error {
	if l.Calls < 0 {
		return fmt.Errorf("%d calls: %w", l.Calls, model.ErrOptions)
	}
	check := func(what string, v float64, unit string) error {
		if v >= 0 && !math.IsInf(v, 0) {
			return nil
		}
		return fmt.Errorf("sampling %s %v %s: %w", what, v, unit, model.ErrOptions)
	}
	return cmp.Or(check("costs", l.CostUS, "us"), check("costs", l.NSPerUpdate, "ns per update"),
		check("may cost", l.MostUS, "us"))
}

// cost is what a sample of so many complete blocks and the incomplete last one costs, in
// microseconds.
func (l SamplingBudget) cost(updates uint64, blocks int) float64 {
	sampled := min(updates, uint64(blocks)*blockSize+updates%blockSize)
	each := cmp.Or(l.NSPerUpdate, DefaultSampleNS)
	return l.CostUS + float64(max(sampled, leastCharged))*each/1e3
}

// most is the bound on the cost of all samples of a stream, in microseconds.
func (l SamplingBudget) most(updates uint64) float64 {
	return cmp.Or(l.MostUS, max(DefaultSamplingUS, l.cost(updates, firstBlocks)))
}

// Sampling says what a sample of a stream was expected to gain, and what was done.
//
// Without a sample one takes the implementation of least mean time over the prior: streams of this
// number of updates and targets, from no collisions to one target for all. The expected gain of a
// sample is the mean over the prior of what that implementation takes longer than the fastest one.
// A larger sample is taken as long as it is expected to gain more than it costs, by the half-widths
// of the statistics of the sample before.
type Sampling struct {
	Sampled bool   `json:"sampled"` // whether a sample was measured
	Calls   int    `json:"calls"`   // that the answer serves
	Blocks  uint64 `json:"blocks"`  // complete blocks of 256 updates of the last sample, 0 if none
	Updates uint64 `json:"updates"` // of the last sample
	// CostUS is what all samples cost, or the first one would have cost, in microseconds.
	CostUS float64 `json:"cost_us"`
	// ExpectedGainUS is what sampling was expected to gain over all calls.
	ExpectedGainUS float64 `json:"expected_gain_us"`
	// LeftUS is what a larger sample is expected to gain still over all calls; 0 where
	// nothing was sampled or all of the stream.
	LeftUS float64 `json:"left_us"`
	// Prior is the implementation for a stream of which nothing is known, PriorUS
	// its mean time of one call.
	Prior   impl.Spec `json:"prior"`
	PriorUS float64   `json:"prior_us"`
}

// errSampledRows keeps samples from calls that add rows.
var errSampledRows = fmt.Errorf("%w: a sample does not show how rows are used again", model.ErrOptions)

// Worth says whether to sample a stream of so many updates and targets, before any of it is read:
// the first steps of PickSampled. The error wraps ErrOptions, ErrStats or ErrNone.
func (c *Chooser) Worth(updates, bins uint64, budget SamplingBudget) (Sampling, error) {
	if err := budget.Validate(); err != nil {
		return Sampling{}, fmt.Errorf("sample: %w", err)
	}
	if c.opts.Call.Wide() {
		return Sampling{}, fmt.Errorf("sample: %w", errSampledRows)
	}
	if updates == 0 || updates > collision.MaxUpdates || bins == 0 || bins > 1<<32 {
		return Sampling{}, fmt.Errorf("sample: %d updates of %d targets: %w", updates, bins,
			model.ErrStats)
	}
	e, err := c.withoutStats(updates, bins)
	if err != nil {
		return Sampling{}, fmt.Errorf("sample: %w", err)
	}
	l := Sampling{Calls: max(1, budget.Calls), CostUS: budget.cost(updates, firstBlocks),
		Prior: c.prices.List[e.best], PriorUS: e.mean[e.best]}
	l.ExpectedGainUS = e.gain * float64(l.Calls)
	l.Sampled = l.ExpectedGainUS > l.CostUS && l.CostUS <= budget.most(updates)
	return l, nil
}

// sample measures samples of a stream, larger ones as long as these are worth it.
func (c *Chooser) sample(p *collision.Sampler, stream collision.Stream, bins uint64,
	budget SamplingBudget, l *Sampling) (collision.Stats, error) {
	updates, spent := uint64(stream.Len()), 0.0
	for blocks := firstBlocks; ; blocks *= moreBlocks {
		s, err := p.MeasureStream(stream, bins, blocks)
		if err != nil {
			return s, fmt.Errorf("%w: %w", model.ErrStats, err)
		}
		spent += budget.cost(updates, blocks)
		l.Blocks, l.Updates, l.CostUS = s.Sampled.Blocks, s.Sampled.Updates, spent
		l.LeftUS = c.gainOfMore(&s) * float64(l.Calls)
		next := budget.cost(updates, blocks*moreBlocks)
		if blocks >= mostBlocks || !partly(&s) || l.LeftUS <= next || spent+next > budget.most(updates) {
			return s, nil
		}
	}
}
