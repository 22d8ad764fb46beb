package tuner

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// ChooseStream is Choose with the exact statistics of a stream in memory, whose
// indices lie below bins; 0 bins stand for the highest index + 1. They are only
// read. The error wraps those of collision.Analyze too.
func ChooseStream(indices []uint32, bins uint64, d *device.Profile, o Options) (Decision, error) {
	if d == nil {
		return Decision{}, fmt.Errorf("choose: no device: %w", ErrOptions)
	}
	s, err := collision.Analyze(indices, collision.Options{Bins: bins, WarpSize: int(d.Core.WarpLanes.Value)})
	if err != nil {
		return Decision{}, fmt.Errorf("choose: %w", err)
	}
	return Choose(&s, d, o)
}

// ChooseSampled decides whether a stream is worth a look, looks at a sample of it
// if so, and at larger ones as long as these are worth it, and chooses.
// Decision.Look holds the account. The bins are the number of targets, which
// only the whole stream could tell: 0 is an error. The indices are only read.
// Without a look the statistics of the stream stay zero but for its size, times
// are means of the closed forms over kinds of streams and intervals span these
// times, widened by the intervals of the predictions.
//
// A program that does so again and again uses Chooser.PickSampled.
func ChooseSampled(indices []uint32, bins uint64, d *device.Profile, o Options, look Look) (Decision, error) {
	c, err := NewChooser(d, o)
	if err != nil {
		return Decision{}, err
	}
	l, s, err := c.lookAt(indices, bins, look)
	if err != nil {
		return Decision{}, err
	}
	if !l.Looked {
		return c.blindDecision(d, o, uint64(len(indices)), bins, l)
	}
	decision, err := Choose(&s, d, o)
	decision.Look = &l
	return decision, err
}

// PickSampled is ChooseSampled in short, in less than 100 microseconds with the
// default of Look.MostUS, whatever the length of the stream. Where nothing was looked at, the times
// of the Pick are means over kinds of streams.
func (c *Chooser) PickSampled(indices []uint32, bins uint64, look Look) (Pick, Looked, error) {
	l, s, err := c.lookAt(indices, bins, look)
	if err != nil {
		return Pick{}, Looked{}, err
	}
	if l.Looked {
		p, err := c.Pick(&s)
		return p, l, err
	}
	p := Pick{Variant: l.Blind, US: l.BlindUS, NaiveUS: math.NaN()}
	b, err := c.blindly(uint64(len(indices)), bins)
	for i := range c.list {
		if err == nil && c.list[i].naive && !math.IsInf(b.mean[i], 1) {
			p.NaiveUS = b.mean[i]
		}
	}
	p.SpeedupOverNaive = p.NaiveUS / p.US
	return p, l, err
}

// lookAt samples a stream if that is worth it.
func (c *Chooser) lookAt(indices []uint32, bins uint64, look Look) (Looked, collision.Stats, error) {
	l, err := c.Worth(uint64(len(indices)), bins, look)
	if err != nil || !l.Looked {
		return l, collision.Stats{}, err
	}
	p, err := c.sampler(look.Seed)
	if err != nil {
		return l, collision.Stats{}, err
	}
	defer c.samplers.Put(p)
	s, err := c.sample(p, indices, bins, look, &l)
	if err != nil {
		return l, s, fmt.Errorf("look: %w", err)
	}
	return l, s, nil
}

// sampler returns a sampler for the device's warps, one that another has left
// behind if there is any.
func (c *Chooser) sampler(seed uint64) (*collision.Sampler, error) {
	if p, ok := c.samplers.Get().(*collision.Sampler); ok {
		p.Reseed(seed)
		return p, nil
	}
	return collision.NewSampler(collision.Options{WarpSize: c.lanes, BlockSize: blockSize, Seed: seed})
}

// BlindBinding stands for the binding bound where nothing is known of a stream
// but its size.
const BlindBinding = "unknown"

// blindDecision is the decision for a stream that is not worth a look.
func (c *Chooser) blindDecision(d *device.Profile, o Options, updates, bins uint64, l Looked) (Decision, error) {
	b, err := c.blindly(updates, bins)
	if err != nil {
		return Decision{}, err
	}
	p, err := newPredictor(d, o)
	if err != nil {
		return Decision{}, err
	}
	wide := *b
	wide.low, wide.high = c.span(updates, bins)
	ranked := c.rankBlind(&wide)
	var naive *prediction
	if i := slices.IndexFunc(ranked, func(r prediction) bool { return r.variant == variant.Variant{} }); i >= 0 {
		naive = &ranked[i]
	}
	decision := p.decide(ranked, naive)
	decision.HeldOut = nil // no tree was asked
	decision.Stream = collision.Stats{Updates: updates, Bins: bins, WarpSize: c.lanes, BlockSize: blockSize}
	decision.Look = &l
	decision.LeftOut = p.leftOut(updates, bins)
	decision.Reason = blindReason(ranked, l)
	if c.cautious {
		decision.Reason += fmt.Sprintf(" It is a cautious choice, by the longest time over the streams of the prior, %s us.", number(ranked[0].high))
	}
	decision.Warnings = []string{"the stream was not looked at: times are means over the streams of the prior, kinds of streams of this size, and the intervals span their times"}
	return decision, nil
}

// rankBlind sorts what can run by its mean time over the kinds of streams, or
// with Options.Cautious by its longest one.
func (c *Chooser) rankBlind(b *blindness) []prediction {
	key := b.mean
	if c.cautious {
		key = b.high
	}
	var places []int
	for i := range c.list {
		if !math.IsInf(b.mean[i], 1) {
			places = append(places, i)
		}
	}
	slices.SortFunc(places, func(i, j int) int {
		return cmp.Or(cmp.Compare(key[i], key[j]), cmp.Compare(c.list[i].rank, c.list[j].rank))
	})
	ranked := make([]prediction, len(places))
	for at, i := range places {
		v := c.list[i].variant
		ranked[at] = prediction{
			variant: v, us: b.mean[i], low: b.low[i], high: b.high[i], binding: BlindBinding,
			bytes: c.room.bytes(v, b.updates, b.bins),
		}
	}
	return ranked
}

// blindReason says why nothing was looked at.
func blindReason(ranked []prediction, l Looked) string {
	return fmt.Sprintf("%s takes %s us in the mean over kinds of streams of this size; a look would cost %s us, its expected gain over %s is %s us.",
		ranked[0].variant, number(ranked[0].us), number(l.CostUS), launchesText(l.Launches), number(l.ExpectedGainUS))
}

func launchesText(n int) string {
	if n == 1 {
		return "one launch"
	}
	return fmt.Sprintf("%d launches", n)
}
