package tuner

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
)

// A Chooser makes many choices for one device and one set of options. It is
// safe for concurrent use.
type Chooser struct {
	device   *device.Profile
	opts     Options
	model    *model.Model     // nil: closed forms alone
	caveat   string           // of a prediction without a model
	prices   *model.Predictor // of ranks and of naive, as far as they can run
	ranks    []impl.Spec      // to choose from, before Exclude
	places   []int            // in prices.List of what is eligible on some stream, in the order of ranks
	naive    int              // place of naive in prices.List; -1 where the device cannot run it
	limits   device.Limits
	notes    func() Warnings       // on the profile; not to be changed
	buffers  sync.Pool             // of *Predictions
	samplers sync.Pool             // of *collision.Sampler
	prior    atomic.Pointer[prior] // of the size that was asked for last
}

// Pick is the short form of a Choice, whose words it uses.
type Pick struct {
	Implementation impl.Spec
	Launch         device.Launch // that was fixed or found; zero: by the rule of device.Limits.Shape
	PredictedUS    float64       // of one call on an idle device, in microseconds
	// SpeedupOverNaive is the predicted time of naive over PredictedUS, NaN where the device cannot run naive.
	SpeedupOverNaive float64
}

// New prepares choices. Errors are those of Choose that do not depend on the stream.
func New(d *device.Profile, o Options) (*Chooser, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if d == nil {
		return nil, fmt.Errorf("no device: %w", model.ErrOptions)
	}
	var unfit error // of the first launch that does not fit
	o.Launches = slices.DeleteFunc(slices.Clone(o.Launches), func(l device.Launch) bool {
		err := d.CanLaunch(impl.Spec{}, o.Call.Type, 1, l)
		unfit = cmp.Or(unfit, err)
		return err != nil
	})
	if unfit != nil && len(o.Launches) == 0 {
		return nil, fmt.Errorf("%w: %w", model.ErrOptions, unfit)
	}
	m, caveat, err := model.For(d, o.Call, o.Model)
	if err != nil {
		return nil, err
	}
	c := &Chooser{device: d, opts: o, model: m, caveat: caveat, limits: d.Limits(),
		ranks: o.Candidates(d), notes: sync.OnceValue(func() Warnings {
			return warning(WarnDevice, model.ProfileNotes(d)...)
		})}
	priced := append(slices.Clone(c.ranks), impl.Spec{})
	if o.Searches() && !o.Call.Wide() { // which launches are searched hangs on the fastest of all, and Only changes no time
		priced = append(priced, d.Ranked()...)
	}
	list := speedup.Runnable(priced, d, o.Call)
	if c.prices, err = model.NewPredictor(list, d, model.Asked{Call: o.Call, Calls: o.Calls, Relaid: o.Relaid,
		Launches: o.launches(c.limits)}, m); err != nil {
		return nil, err
	}
	if o.Cautious && !c.prices.Measured() {
		return nil, fmt.Errorf("a cautious choice uses the upper ends of intervals, which need recorded calls, "+
			"and there are none for %s: atomprobe records calls on NVIDIA GPUs, and \"atomtune train "+
			"--measurements\" makes a model with intervals from them: %w", d.Name, model.ErrOptions)
	}
	c.buffers.New = func() any { return c.prices.Buffer() }
	c.naive = slices.IndexFunc(c.prices.List, impl.Spec.IsNaive)
	return c, c.place()
}

// place fills in what is eligible on some stream. The error says why nothing is.
func (c *Chooser) place() error {
	var refused refusals
	for _, v := range c.ranks {
		err := c.refuse(c.opts.opposed(v), v, device.Launch{}, 0, 0)
		i := slices.Index(c.prices.List, v)
		if i < 0 {
			err = cmp.Or(err, speedup.Check(v, model.WithoutHost(c.device), c.opts.Call))
		}
		if err != nil {
			refused.add(v, err)
		} else {
			c.places = append(c.places, i)
		}
	}
	if len(c.places) == 0 {
		return fmt.Errorf("%s: %w", c.device.Name, &refused)
	}
	return nil
}

// For returns what chooses for another call under the same options.
func (c *Chooser) For(call device.Call) (*Chooser, error) {
	if call == c.opts.Call {
		return c, nil
	}
	o := c.opts
	o.Call = call
	return New(c.device, o)
}

// check reports statistics that no stream has, or that lack what the options ask for.
func (c *Chooser) check(s *collision.Stats) error {
	if err := model.CheckStats(s, c.lanes()); err != nil || !c.opts.Call.Wide() || s.Rows != nil {
		return err
	}
	return fmt.Errorf("%w: %w", ErrStats, speedup.ErrReuse)
}

// lanes returns the device's warp size.
func (c *Chooser) lanes() int { return int(c.device.Core.WarpLanes.Value) }

// predict returns the predictions for a stream, in a buffer to be put back.
func (c *Chooser) predict(s *collision.Stats, tell bool) *model.Predictions {
	p := c.buffers.Get().(*model.Predictions)
	p.Tell = tell
	c.prices.Predict(s, p)
	return p
}

// Pick returns the implementation that Choose puts first, without allocating.
// The error wraps ErrStats for statistics that no stream has, and ErrNone
// where no implementation can run on the stream.
func (c *Chooser) Pick(s *collision.Stats) (Pick, error) {
	if err := c.check(s); err != nil {
		return Pick{}, err
	}
	p := c.predict(s, false)
	defer c.buffers.Put(p)
	if c.opts.Cautious {
		c.prices.Intervals(p)
	}
	best := c.first(s, p.List)
	if best >= 0 && c.Told(c.prices.List[best]) { // where nothing else is left
		p.Tell = true
		c.prices.Predict(s, p)
		c.prices.Intervals(p)
		best = c.first(s, p.List)
	}
	if best < 0 {
		return Pick{}, fmt.Errorf("%w on this stream of %d targets", model.ErrNone, s.Bins)
	}
	naive := math.NaN()
	if c.naive >= 0 {
		naive = p.List[c.naive].US
	}
	r := p.List[best]
	return Pick{Implementation: c.prices.List[best], Launch: r.Launch, PredictedUS: r.US,
		SpeedupOverNaive: naive / r.US}, nil
}

// first returns the place of the prediction that Choose ranks first, -1 where nothing can run.
func (c *Chooser) first(s *collision.Stats, list []model.Prediction) int {
	at := c.chosen(len(c.places), func(k int) (*model.Prediction, impl.Spec) {
		i := c.places[k]
		r := &list[i]
		v := c.prices.List[i]
		if math.IsInf(r.Closed, 1) || c.barrier(v, s, r.Launch, s.Positions(), s.Bins) != eligible {
			return nil, impl.Spec{}
		}
		return r, v
	})
	if at < 0 {
		return at
	}
	return c.places[at]
}

// Candidates lists what Forecast predicts: the implementations that the options
// admit and the device can run on some stream.
func (c *Chooser) Candidates() []impl.Spec {
	list := make([]impl.Spec, len(c.places))
	for k, i := range c.places {
		list[k] = c.prices.List[i]
	}
	return list
}

// Forecast returns in into what Choose predicts for each of the Candidates, without allocating, and with
// its interval, of NaN where Choice has none. Times are +Inf where an implementation
// cannot run on the stream. The error wraps ErrStats.
func (c *Chooser) Forecast(s *collision.Stats, into []model.Prediction) error {
	if err := c.check(s); err != nil {
		return err
	}
	p := c.predict(s, true)
	defer c.buffers.Put(p)
	c.prices.Intervals(p)
	into = into[:0]
	for _, i := range c.places {
		r := p.List[i]
		if c.barrier(c.prices.List[i], s, r.Launch, s.Positions(), s.Bins) != eligible || !usable(&r) {
			r = model.Prediction{US: math.Inf(1), Closed: math.Inf(1), Low: math.Inf(1), High: math.Inf(1)}
		}
		into = append(into, r)
	}
	return nil
}

// usable reports whether a prediction is a positive finite time, and its interval finite if it has one.
func usable(r *model.Prediction) bool {
	return r.US > 0 && !math.IsInf(r.US, 0) && !math.IsInf(r.High, 0)
}
