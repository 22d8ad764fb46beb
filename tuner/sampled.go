package tuner

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/model"
)

// ChooseStream is Choose with the exact statistics of a stream in memory, whose
// indices lie below bins; 0 bins stand for the highest index + 1. They are only
// read. The error wraps those of collision.Analyze too.
func ChooseStream(indices []uint32, bins uint64, d *device.Profile, o Options) (Decision, error) {
	o.Reading = Reading{From: math.MaxUint64}
	return ChooseSource(context.Background(), At(collision.Indices(indices), bins), d, o)
}

// ChooseSampled measures a sample of a stream, and larger ones, as long as that is worth its cost,
// and chooses: Decision.Sampling holds the account. The bins are the number of targets; 0 is an
// error, since only the whole stream could tell. Forms of hot are not priced, since that takes the
// whole stream; naming one is an error. Without a sample the statistics stay zero but for the size,
// times are means of the closed forms over the streams of the prior, and intervals, if there are any,
// span theirs. A program that does so repeatedly uses Chooser.PickSampled.
func ChooseSampled(indices []uint32, bins uint64, d *device.Profile, o Options,
	budget SamplingBudget) (Decision, error) {
	o.Reading = Reading{Budget: &budget}
	return ChooseSource(context.Background(), At(collision.Indices(indices), bins), d, o)
}

// ChooseSource measures a stream and chooses for it.
func ChooseSource(ctx context.Context, src Source, d *device.Profile, o Options) (Decision, error) {
	c, err := New(d, o)
	if err != nil {
		return Decision{}, fmt.Errorf("choose: %w", err)
	}
	m, err := c.Measure(ctx, src)
	if err != nil {
		return Decision{}, fmt.Errorf("choose: %w", err)
	}
	return c.Choose(m)
}

// afford measures samples as far as a budget goes; without one only the size is known.
func (c *Chooser) afford(stream collision.Stream, bins uint64, budget SamplingBudget) (*Measured, error) {
	for _, v := range c.opts.Only {
		if v.Slots > 0 { // of which samples and the prior say nothing
			return nil, fmt.Errorf("%s is only priced on whole streams: %w", v, model.ErrOptions)
		}
	}
	if stream == nil {
		return nil, fmt.Errorf("of a stream that is read in order a budget buys nothing: %w", model.ErrOptions)
	}
	l, s, err := c.measureSample(stream, bins, budget)
	if err == nil && !l.Sampled {
		s = collision.Stats{Updates: uint64(stream.Len()), Bins: bins, WarpSize: c.lanes(), BlockSize: blockSize}
	}
	return &Measured{Stream: Stream{Stats: &s}, Sampling: &l}, err
}

// PickSampled is ChooseSampled in short, in less than 100 microseconds with the
// default of SamplingBudget.MostUS, whatever the length of the stream. Without a
// sample the times are means over the streams of the prior.
func (c *Chooser) PickSampled(indices []uint32, bins uint64, budget SamplingBudget) (Pick,
	Sampling, error) {
	l, s, err := c.measureSample(collision.Indices(indices), bins, budget)
	if err != nil {
		return Pick{}, Sampling{}, err
	}
	if l.Sampled {
		p, err := c.Pick(&s)
		return p, l, err
	}
	p := Pick{Implementation: l.Prior, Launch: c.opts.fixed(), PredictedUS: l.PriorUS, SpeedupOverNaive: math.NaN()}
	e, err := c.withoutStats(uint64(len(indices)), bins)
	if err == nil && c.naive >= 0 && !math.IsInf(e.mean[c.naive], 1) {
		p.SpeedupOverNaive = e.mean[c.naive] / l.PriorUS
	}
	return p, l, err
}

// measureSample measures a sample of a stream if that is worth it.
func (c *Chooser) measureSample(stream collision.Stream, bins uint64,
	budget SamplingBudget) (l Sampling, s collision.Stats, err error) {
	if l, err = c.Worth(uint64(stream.Len()), bins, budget); err != nil || !l.Sampled {
		return l, s, err
	}
	p, kept := c.samplers.Get().(*collision.Sampler)
	if kept {
		p.Reseed(budget.Seed)
	} else if p, err = collision.NewSampler(collision.Options{WarpSize: c.lanes(),
		Padded: c.opts.Padded, BlockSize: blockSize, Seed: budget.Seed,
		WithoutHot: true}); err != nil { // which no candidate asks for
		return l, s, err
	}
	defer c.samplers.Put(p)
	if s, err = c.sample(p, stream, bins, budget, &l); err != nil {
		return l, s, fmt.Errorf("sample: %w", err)
	}
	return l, s, nil
}

// decideByPrior chooses for a stream that is not worth a sample.
func (c *Chooser) decideByPrior(m *Measured) (d Decision, ranked []prediction, err error) {
	e, err := c.withoutStats(m.Updates, m.Bins)
	if err != nil {
		return d, nil, err
	}
	ranked = c.rankPrior(e)
	var naive *prediction
	if i := slices.IndexFunc(ranked, isNaive); i >= 0 {
		naive = &ranked[i]
	}
	d = c.decision(m, ranked, naive)
	var first collision.Stats // any stream of that size shows what the options do not admit
	components[0].stats(m.Updates, m.Bins, c.lanes(), blockSize, &first)
	p := c.predict(&first, true)
	defer c.buffers.Put(p)
	c.prices.Intervals(p)
	_, d.LeftOut, _ = c.rank(&first, p.List)
	d.Reason = priorReason(ranked, *m.Sampling)
	if c.opts.Cautious {
		d.Reason += fmt.Sprintf(" It is a cautious choice, by the longest time over the "+
			"streams of the prior, %s us.", number(ranked[0].High))
	}
	return d, ranked, nil
}

// rankPrior sorts what can run by its mean time over the components, or with
// Options.Cautious by its longest one.
func (c *Chooser) rankPrior(e *prior) []prediction {
	var ranked []prediction
	for i, v := range c.prices.List {
		if !math.IsInf(e.mean[i], 1) {
			r := prediction{implementation: v, bottleneck: "unknown", Prediction: model.Prediction{US: e.mean[i],
				Low: e.low[i], High: e.high[i], Launch: c.opts.fixed()}}
			c.size(&r, e.updates, e.bins)
			ranked = append(ranked, r)
		}
	}
	slices.SortStableFunc(ranked, func(a, b prediction) int {
		return cmp.Compare(c.key(&a.Prediction), c.key(&b.Prediction))
	})
	return ranked
}

// priorReason says why nothing was sampled.
func priorReason(ranked []prediction, l Sampling) string {
	calls := "one call"
	if l.Calls != 1 {
		calls = fmt.Sprintf("%d calls", l.Calls)
	}
	return fmt.Sprintf("%s takes %s us on average over typical streams of this size; a sample would cost %s us, "+
		"and its expected gain over %s is %s us.", ranked[0].implementation,
		number(ranked[0].US), number(l.CostUS), calls, number(l.ExpectedGainUS))
}
