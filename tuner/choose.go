package tuner

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
)

// Choose ranks the implementations for a stream on a device and explains the first. The error wraps
// ErrOptions, ErrStats or ErrModel for what was handed in, and ErrNone where no implementation is
// left, with the reason of each.
func Choose(s *collision.Stats, d *device.Profile, o Options) (Decision, error) {
	c, err := New(d, o)
	if err != nil {
		return Decision{}, fmt.Errorf("choose: %w", err)
	}
	return c.Choose(Given(s))
}

// Choose ranks the implementations for what Measure found, or for other statistics, and explains the first. Errors
// are those of the function Choose that depend on the stream.
func (c *Chooser) Choose(m *Measured) (Decision, error) {
	decide := c.decide
	if !m.priced() {
		decide = c.decideByPrior
	}
	d, ranked, err := decide(m)
	if err != nil {
		return Decision{}, fmt.Errorf("choose: %w", err)
	}
	d.Warnings = c.warnings(m, &d, ranked)
	return d, nil
}

// decide chooses by statistics.
func (c *Chooser) decide(m *Measured) (d Decision, ranked []prediction, err error) {
	if err := c.check(m.Stats); err != nil {
		return d, nil, err
	}
	p := c.predict(m.Stats, true)
	defer c.buffers.Put(p)
	c.prices.Intervals(p)
	ranked, leftOut, err := c.rank(m.Stats, p.List)
	if err != nil {
		return d, nil, err
	}
	var naive *prediction // whether or not the options admit it; nil where it cannot run
	if i := slices.IndexFunc(ranked, isNaive); i >= 0 {
		naive = &ranked[i]
	} else if r, err := c.explain(impl.Spec{}, m.Stats, p.List); err == nil {
		naive = &r
	}
	d = c.decision(m, ranked, naive)
	d.LeftOut, d.Tree = leftOut, c.deciding(ranked, p)
	if c.model != nil {
		d.HeldOutLoss = new(c.model.Evaluation.Tree)
	}
	floor := c.prices.Bundle.Floor(m.Stats)
	d.Floor = &Floor{floor, floor.US / d.Choice.PredictedUS}
	text, why := c.reason(ranked, naive, d.Ties, m.Stats)
	d.Why = worded(why, c.opts.Call.Op)
	d.Reason = worded(text, c.opts.Call.Op) + c.besides(ranked, d.Settle)
	return d, ranked, nil
}

// deciding says how the tree decided on a ranking; nil without one.
func (c *Chooser) deciding(ranked []prediction, p *model.Predictions) *Deciding {
	if c.model == nil || c.model.Simulations == 0 {
		return nil
	}
	d := &Deciding{Device: c.device.Name, Leaves: len(c.model.Tree.Leaves), SimulatedPoints: c.model.Sweep.Points,
		Class: ranked[0].implementation.Class().String(), Path: c.prices.Path(p)}
	priced := ranked[model.Chosen(len(ranked), func(i int) (us, priced float64, simplicity int) {
		us = ranked[i].Priced()
		return us, us, ranked[i].implementation.Simplicity(false)
	})]
	if priced.implementation != ranked[0].implementation {
		d.Overruled = &priced.implementation
	}
	return d
}

// decision says what follows from a ranking, however that came about.
func (c *Chooser) decision(m *Measured, ranked []prediction, naive *prediction) Decision {
	d := Decision{Device: c.device.Name, Call: NewCall(c.opts.Call), Constraints: c.opts.constraints(), Stream: m.Stream,
		Ties: c.ties(ranked), Sampling: m.Sampling, Settling: m.Settling}
	for _, r := range ranked {
		of := Ranked{Implementation: r.implementation, Class: r.implementation.ClassOf(c.opts.Call.Wide()).String(),
			PredictedUS:   r.US,
			PreparationUS: r.Prepared * float64(max(1, c.opts.Calls)),
			Binding:       r.bottleneck, MemoryBytes: r.bytes, Launch: r.shape, Parts: r.parts}
		if c.prices.Measured() {
			of.LowUS, of.HighUS = new(r.Low), new(r.High)
		}
		d.Ranking = append(d.Ranking, of)
	}
	best := d.Ranking[0]
	d.Choice = Choice{Implementation: best.Implementation, Class: best.Class,
		PredictedUS: best.PredictedUS, BusyUS: best.PredictedUS - ranked[0].idle, LowUS: best.LowUS, HighUS: best.HighUS}
	if c.bounded() {
		d.Choice.LossBound, d.Settle = new(lossBound(ranked)), worthTiming(ranked)
	}
	if naive != nil {
		speedup := naive.US / best.PredictedUS
		d.Choice.SpeedupOverNaive = &speedup
	}
	if l := d.Settling; l != nil {
		l.LossUS = l.LossPercent / 100 * best.PredictedUS
	}
	return d
}

// prediction is the time of one implementation with its explanation.
type prediction struct {
	model.Prediction
	implementation impl.Spec
	bottleneck     string
	phases         []speedup.Phase
	parts          []speedup.Bound
	trained        bool
	idle           float64 // see speedup.Cost.IdleUS
	bytes          uint64  // of device memory beside stream and targets
	shape          device.Shape
}

// size fills in what depends on the size of the stream and the launch alone.
func (c *Chooser) size(r *prediction, updates, bins uint64) {
	r.bytes = c.bytes(r.implementation, r.Launch, updates, bins)
	r.shape = c.limits.Shape(r.implementation, c.opts.Call, bins, updates, r.Launch)
}

// explain returns the prediction of an implementation with its explanation, or
// the reason for which it cannot run on the stream.
func (c *Chooser) explain(v impl.Spec, s *collision.Stats,
	list []model.Prediction) (prediction, error) {
	i := slices.Index(c.prices.List, v)
	if i < 0 {
		return prediction{}, speedup.Check(v, model.WithoutHost(c.device), c.opts.Call)
	}
	cost, err := c.prices.Explain(s, i, list[i].Launch)
	if err != nil {
		return prediction{}, err
	}
	if !usable(&list[i]) {
		return prediction{}, fmt.Errorf("%s: predicted time %v us: %w", v, list[i].US, model.ErrStats)
	}
	r := prediction{Prediction: list[i], implementation: v, trained: c.model != nil && c.model.Tree.Corrects(v),
		idle: cost.IdleUS, bottleneck: cost.Bottleneck, phases: cost.Phases, parts: cost.Parts}
	c.size(&r, s.Positions(), s.Bins)
	if v.OnHost() && r.Prepared > r.Kernels {
		r.bottleneck = "relayout" // of the updates of ss and sr+ss on the host
	}
	return r, nil
}

// Shape returns how an implementation is launched for other statistics, or the reason for which it cannot be.
func (c *Chooser) Shape(v impl.Spec, s *collision.Stats) (device.Shape, error) {
	if err := c.check(s); err != nil {
		return device.Shape{}, err
	}
	p := c.predict(s, false)
	defer c.buffers.Put(p)
	r, err := c.explain(v, s, p.List)
	if err == nil {
		err = c.refuse(c.barrier(v, s, r.Launch, s.Positions(), s.Bins), v, r.Launch, s.Positions(), s.Bins)
	}
	return r.shape, err
}

// rank explains every implementation that the options admit and that can run, and sorts them by time, or with
// Options.Cautious by the upper end of the interval. Equal times keep the order of the candidates. The choice stands
// first. It returns besides what the options do not admit and could run.
func (c *Chooser) rank(s *collision.Stats, list []model.Prediction) (ranked []prediction,
	leftOut []LeftOut, err error) {
	var refused refusals
	leftOut = []LeftOut{}
	for _, v := range c.ranks {
		r, err := c.explain(v, s, list)
		b := c.barrier(v, s, r.Launch, s.Positions(), s.Bins)
		not, launch := c.refuse(b, v, r.Launch, s.Positions(), s.Bins), errors.Is(err, device.ErrLaunch)
		if b >= unlisted && err == nil || launch && (b == eligible || b >= unlisted) {
			leftOut = append(leftOut, LeftOut{v, why(cmp.Or(not, err))})
		}
		if err := cmp.Or(not, err); err != nil {
			refused.add(v, err)
			continue
		}
		ranked = append(ranked, r)
	}
	if len(ranked) == 0 {
		return nil, nil, &refused
	}
	chosen := ranked[c.chosen(len(ranked), func(i int) (*model.Prediction, impl.Spec) {
		return &ranked[i].Prediction, ranked[i].implementation
	})]
	slices.SortStableFunc(ranked, func(a, b prediction) int {
		return cmp.Compare(c.key(&a.Prediction), c.key(&b.Prediction))
	})
	at := slices.IndexFunc(ranked, func(r prediction) bool { return r.implementation == chosen.implementation })
	copy(ranked[1:at+1], ranked[:at])
	ranked[0] = chosen
	return ranked, leftOut, nil
}

// chosen returns the place of the choice among n predictions, nil where one cannot run, or -1. Where indices come
// once, what must be told the frequent targets beforehand is the choice only where nothing else is left.
func (c *Chooser) chosen(n int, at func(place int) (*model.Prediction, impl.Spec)) (place int) {
	for _, told := range []bool{false, true} {
		place = model.Chosen(n, func(i int) (us, priced float64, simplicity int) {
			r, v := at(i)
			if r == nil || !told && c.Told(v) {
				return math.Inf(1), 0, 0
			}
			if us, priced = c.key(r), r.Priced(); c.opts.Cautious { // which goes by intervals alone
				priced = us
			}
			return us, priced, v.Simplicity(c.opts.Call.Wide())
		})
		if place >= 0 {
			break
		}
	}
	return place
}

// Told reports whether an implementation must be told the frequent targets of indices that come once. Only where
// nothing else is left it is the choice.
func (c *Chooser) Told(v impl.Spec) bool {
	return c.opts.Calls <= 1 && v.NeedsTargets() && !c.opts.Call.Wide()
}

// choosable returns what of a ranking can be the choice.
func (c *Chooser) choosable(ranked []prediction) []prediction {
	if c.Told(ranked[0].implementation) { // nothing else is left
		return ranked
	}
	return slices.DeleteFunc(slices.Clone(ranked), func(r prediction) bool { return c.Told(r.implementation) })
}

// key is what predictions are ranked by.
func (c *Chooser) key(r *model.Prediction) float64 {
	if c.opts.Cautious {
		return r.High
	}
	return r.US
}

func isNaive(r prediction) bool { return r.implementation.IsNaive() }
