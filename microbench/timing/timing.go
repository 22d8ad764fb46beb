// Package timing times every implementation in every launch on one stream, the most promising first
// and within a budget, and holds what a choice would have taken against what was fastest.
package timing

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/bindings/gpu/kernels"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/microbench/calls"
)

type Options struct {
	calls.Options // of which Implementations, Repeats and Companion count
	Call          device.Call
	// Profile is that of the GPU, by which times are predicted; nil: there is none.
	Profile *device.Profile
	// Relaid is set where the updates may be had in the order that ss and sr+ss want.
	Relaid bool
	// Budget is how long calls are timed, without the few that are timed again and without loading
	// the stream; 0: until all are.
	Budget time.Duration
	Now    func() time.Time
	// Progress is called before each call with the number of those that were tried and of those
	// that are known to come in all; nil for nobody.
	Progress func(tried, all int)
}

type Timed struct {
	Implementation impl.Spec `json:"implementation"`
	// Launch of the main kernel; all is 0 where there are several kernels.
	Launch   device.Launch `json:"launch"`
	Ruled    bool          `json:"ruled"` // the launch is that of device.Limits.Shape
	MedianUS float64       `json:"median_us"`
	MinUS    float64       `json:"min_us"`
	MaxUS    float64       `json:"max_us"`
	Repeats  int           `json:"repeats"`
	// Again is set where the call was timed twice, and these are the second times.
	Again bool `json:"again,omitempty"`
	// PredictedUS is nil without a profile, and where that predicts nothing of it.
	PredictedUS *float64 `json:"predicted_us,omitempty"`
	// Wrong says what is wrong with the result; empty for nothing.
	Wrong string `json:"wrong,omitempty"`
	fixed device.Launch
}

// Ratio is the predicted time over the measured one, nil where none was predicted.
func (t *Timed) Ratio() *float64 {
	if t.PredictedUS == nil || t.MedianUS <= 0 {
		return nil
	}
	ratio := *t.PredictedUS / t.MedianUS
	return &ratio
}

// Untimed is an implementation, in one launch or in all, that was to be timed and could not be.
type Untimed struct {
	Implementation impl.Spec `json:"implementation"`
	Why            string    `json:"why"`
}

// Why the timing ended before everything was timed.
const (
	OutOfBudget = "budget"
	Cut         = "interrupt" // or another end of the context
	Failed      = "failure"
)

type Result struct {
	// Timed are those whose results were right, the fastest first, and behind them the others.
	Timed   []Timed   `json:"timed"`
	Untimed []Untimed `json:"untimed"`
	// Choice is what a choice by the profile takes, nil without a profile.
	Choice *Choice `json:"choice,omitempty"`
	// FloorUS is what any implementation takes at least by the profile, see speedup.Bundle.Floor; 0
	// without a profile.
	FloorUS float64 `json:"floor_us,omitempty"`
	// Known is the number of calls that are known to be possible: launches other than the rule's are
	// counted once each implementation was timed in that.
	Known    int      `json:"known"`
	Ended    string   `json:"ended,omitempty"` // early, by this; empty: everything was timed
	ElapsedS float64  `json:"elapsed_s"`
	Warnings []string `json:"warnings"`
}

// Fastest returns what took least, nil where nothing was right.
func (r *Result) Fastest() *Timed {
	if len(r.Timed) == 0 || r.Timed[0].Wrong != "" {
		return nil
	}
	return &r.Timed[0]
}

// Best returns of each implementation the launch in which it took least, in the order of Timed.
func (r *Result) Best() (list []Timed) {
	for _, t := range r.Timed {
		if !slices.ContainsFunc(list,
			func(b Timed) bool { return b.Implementation == t.Implementation }) {
			list = append(list, t)
		}
	}
	return list
}

// Run times calls on the stream until all were, the budget is used up or the context ends. An error
// is that of the stream, of the driver or of the context; beside it stands what was timed before.
func Run(ctx context.Context, g driver.GPU, s calls.Stream, o Options) (r Result, err error) {
	b, err := calls.NewBench(ctx, g, s, o.Call, o.Relaid, o.Options)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	t := timer{bench: b, o: o, start: o.Now()}
	if o.Profile != nil {
		t.forecast, err = newForecast(b, o)
		if err != nil {
			return r, err
		}
	}
	err = t.all()
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		t.result.Ended = Cut
	case err != nil:
		t.result.Ended = Failed
	}
	return t.finish(), err
}

type timer struct {
	bench    *calls.Bench
	o        Options
	start    time.Time
	forecast *forecast // nil without a profile
	result   Result
	tried    int
}

// errSpent ends the timing once the budget is used up.
var errSpent = errors.New("the budget is used up")

// all times the choice; then every implementation in the rule's launch, in the order of their
// predicted times; then their other launches, those of the fastest implementation first; and some
// of them again.
func (t *timer) all() error {
	list := t.bench.Implementations()
	t.result.Known = len(list)
	for _, v := range t.o.Implementations { // those that are named
		if !slices.Contains(list, v) {
			why := cmp.Or(t.bench.Lacks(v, device.Launch{}), "it does not support such calls on such streams")
			t.result.Untimed = append(t.result.Untimed, Untimed{v, why})
		}
	}
	err := t.ruled(list)
	if err == nil {
		err = t.launches()
	}
	if errors.Is(err, errSpent) {
		t.result.Ended, err = OutOfBudget, nil
	}
	return cmp.Or(err, t.again())
}

const mostAgain = 5

// again times the fastest calls and the choice a second time, which then counts: the least of many
// medians is flattered by noise.
func (t *timer) again() error {
	slices.SortStableFunc(t.result.Timed, faster)
	for i := range t.result.Timed {
		done := &t.result.Timed[i]
		if done.Wrong != "" || i >= mostAgain && !t.forecast.chose(done) {
			continue
		}
		second, err := t.measure(done.Implementation, done.fixed)
		if err != nil {
			return err
		}
		*done, done.Again = second, true
	}
	return nil
}

// faster compares times; wrong results come last.
func faster(a, b Timed) int {
	return cmp.Or(cmp.Compare(min(1, len(a.Wrong)), min(1, len(b.Wrong))),
		cmp.Compare(a.MedianUS, b.MedianUS))
}

func (t *timer) ruled(list []impl.Spec) error {
	list = slices.Clone(list)
	if f := t.forecast; f != nil {
		slices.SortStableFunc(list, func(a, b impl.Spec) int {
			return cmp.Compare(f.us(a, device.Launch{}), f.us(b, device.Launch{}))
		})
		if v := f.choice.Implementation; slices.Contains(list, v) && f.fixed != (device.Launch{}) {
			if f.fits = t.bench.Fits(v, f.fixed); f.fits {
				t.result.Known++
				if err := t.time(v, f.fixed); err != nil {
					return err
				}
			}
		}
	}
	for _, v := range list {
		if err := t.time(v, device.Launch{}); err != nil {
			return err
		}
	}
	return nil
}

func (t *timer) launches() error {
	slices.SortStableFunc(t.result.Timed, faster)
	var more []Timed
	for _, b := range t.result.Best() {
		for _, l := range t.bench.Launches(b.Implementation) {
			if !slices.ContainsFunc(t.result.Timed, func(done Timed) bool {
				return done.Implementation == b.Implementation && done.fixed == l
			}) {
				more = append(more, Timed{Implementation: b.Implementation, fixed: l})
			}
		}
	}
	t.result.Known += len(more)
	for _, m := range more {
		if err := t.time(m.Implementation, m.fixed); err != nil {
			return err
		}
	}
	return nil
}

// time times one call. What the GPU has no room for is kept as untimed.
func (t *timer) time(v impl.Spec, fixed device.Launch) error {
	if t.o.Budget > 0 && t.o.Now().Sub(t.start) >= t.o.Budget {
		return errSpent
	}
	if t.o.Progress != nil {
		t.o.Progress(t.tried, t.result.Known)
	}
	t.tried++
	done, err := t.measure(v, fixed)
	if errors.Is(err, driver.ErrMemory) || errors.Is(err, kernels.ErrShape) {
		t.result.Untimed = append(t.result.Untimed, Untimed{v, err.Error()})
		return nil
	}
	if err == nil {
		t.result.Timed = append(t.result.Timed, done)
	}
	return err
}

func (t *timer) measure(v impl.Spec, fixed device.Launch) (Timed, error) {
	c, wrong, err := t.bench.Time(v, fixed)
	return Timed{
		Implementation: v, Ruled: fixed == device.Launch{}, Wrong: wrong, fixed: fixed,
		Launch:   c.Launch(),
		MedianUS: c.MedianUS, MinUS: c.MinUS, MaxUS: c.MaxUS, Repeats: c.Repeats,
	}, err
}
