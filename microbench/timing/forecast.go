package timing

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/microbench/calls"
	"github.com/atomtune/atomtune/tuner"
)

// Choice is what tuner.Choose takes by the profile, and what that costs.
type Choice struct {
	Profile        string        `json:"profile"`
	Implementation impl.Spec     `json:"implementation"`
	Launch         device.Launch `json:"launch"`
	PredictedUS    float64       `json:"predicted_us"`
	// MeasuredUS is the median of the choice in its launch, nil where that was not timed, as Why says.
	MeasuredUS *float64 `json:"measured_us,omitempty"`
	// OverBest is MeasuredUS over the least median of all that was timed.
	OverBest *float64 `json:"over_best,omitempty"`
	Why      string   `json:"why,omitempty"`
}

type forecast struct {
	bench    *calls.Bench
	o        Options
	choice   Choice
	fixed    device.Launch // of the choice, zero for the rule's
	fits     bool          // the GPU can launch the choice so
	floorUS  float64
	warnings []string
	list     []impl.Spec
	byLaunch map[device.Launch]map[impl.Spec]float64
}

// newForecast chooses for the stream as the command choose does.
func newForecast(b *calls.Bench, o Options) (*forecast, error) {
	d, err := tuner.Choose(b.Stats(), o.Profile,
		tuner.Options{Call: o.Call, Relaid: o.Relaid, SearchLaunch: true})
	if err != nil {
		return nil, err
	}
	first := d.Ranking[0]
	f := &forecast{bench: b, o: o, list: b.Implementations(), warnings: d.Warnings.Texts(),
		byLaunch: map[device.Launch]map[impl.Spec]float64{},
		choice: Choice{Profile: o.Profile.Name, Implementation: first.Implementation,
			PredictedUS: first.PredictedUS,
			Launch:      first.Launch.Launch()},
	}
	if d.Floor != nil {
		f.floorUS = d.Floor.US
	}
	s := b.Stats()
	rule := b.Limits().Shape(first.Implementation, o.Call, s.Bins, s.Updates, device.Launch{})
	if rule.Launch() != f.choice.Launch {
		f.fixed = f.choice.Launch
	}
	return f, nil
}

// chose reports whether a call is the choice. Without a profile none is.
func (f *forecast) chose(t *Timed) bool {
	return f != nil && t.Implementation == f.choice.Implementation && t.fixed == f.fixed
}

// us is the predicted time of an implementation in a launch, the zero one for the rule's, infinite
// where nothing is predicted.
func (f *forecast) us(v impl.Spec, fixed device.Launch) float64 {
	if f.byLaunch[fixed] == nil {
		f.byLaunch[fixed] = f.predict(fixed)
	}
	if us, there := f.byLaunch[fixed][v]; there {
		return us
	}
	return math.Inf(1)
}

// predict asks for all implementations in one launch. Where the profile's device can launch none of them so,
// nothing is predicted.
func (f *forecast) predict(fixed device.Launch) map[impl.Spec]float64 {
	all := map[impl.Spec]float64{}
	d, err := tuner.Choose(f.bench.Stats(), f.o.Profile,
		tuner.Options{Call: f.o.Call, Relaid: f.o.Relaid, Launches: []device.Launch{fixed}, Only: f.list})
	if err == nil {
		for _, r := range d.Ranking {
			all[r.Implementation] = r.PredictedUS
		}
	}
	return all
}

// finish sorts what was timed and sets it beside what was predicted.
func (t *timer) finish() Result {
	r := &t.result
	r.ElapsedS = t.o.Now().Sub(t.start).Seconds()
	r.Timed, r.Untimed = append([]Timed{}, r.Timed...), append([]Untimed{}, r.Untimed...)
	r.Warnings = []string{}
	slices.SortStableFunc(r.Timed, faster)
	if f := t.forecast; f != nil {
		for i := range r.Timed {
			done := &r.Timed[i]
			if us := f.us(done.Implementation, done.fixed); !math.IsInf(us, 1) {
				done.PredictedUS = &us
			}
		}
		r.Warnings = append(r.Warnings, f.warnings...)
		r.Choice, r.FloorUS = f.judged(r), f.floorUS
	}
	return *r
}

// judged is the choice with what it costs.
func (f *forecast) judged(r *Result) *Choice {
	c := f.choice
	at := slices.IndexFunc(r.Timed, func(t Timed) bool { return f.chose(&t) })
	why := f.bench.Lacks(c.Implementation, f.fixed)
	switch best := r.Fastest(); {
	case at < 0 && why != "":
		c.Why = why
	case at < 0 && !slices.Contains(f.list, c.Implementation):
		c.Why = "it is not among what was to be timed"
	case at < 0 && !f.fits && r.Ended == "":
		c.Why = "the GPU cannot launch it like this"
	case at < 0:
		c.Why = "the timing ended before"
	case r.Timed[at].Wrong != "":
		c.Why = "its result is wrong"
	default:
		us := r.Timed[at].MedianUS
		over := us / best.MedianUS
		c.MeasuredUS, c.OverBest = &us, &over
	}
	return &c
}
