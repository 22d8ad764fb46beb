// Package request answers what callers of the C library ask; package main above it converts structures.
package request

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/plan"
)

// The errors of this package, beside those of the tuner.
var (
	ErrArgument = errors.New("bad argument")
	ErrFile     = errors.New("no plan can be kept")
	ErrFault    = errors.New("fault of the library")
)

// Attempt runs f. A panic, which must not reach the caller's stack, is an error that wraps ErrFault.
func Attempt(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", ErrFault, r)
		}
	}()
	return f()
}

// Request says what is asked. The zero value of each field is the usual case.
type Request struct {
	Device        string // a name or the path of a profile; "": device.Default
	Options       tuner.Options
	Only, Exclude string // names of implementations with blanks between them
	Bins          uint64 // number of targets; 0: highest index + 1, where the whole stream is read
	Whole         bool   // read the whole stream in place of a sample
	RuleLaunch    bool   // take the launches of the device's rule, in place of a search among them
	Sampling      tuner.SamplingBudget
}

// Source says what a choice is made of.
type Source uint8

// The sources.
const (
	Statistics Source = iota // of the whole stream, or the caller's
	Sample                   // of the stream
	Prior                    // neither, as no sample was worth its cost
	Plan                     // a plan, whose times are not known
	Leaf                     // of a decision tree, which does not say times either
)

// Answer is a choice. Times are 0 where they are not known.
type Answer struct {
	tuner.Choice
	FloorUS     float64 // least time of any implementation
	MemoryBytes uint64
	Launch      device.Shape // of the main kernel; zero where there are several
	Source      Source
	Sampled     uint64 // updates of the sample, 0 if there is none
	Reason      string
}

func (r *Request) profile() (*device.Profile, tuner.Options, error) {
	o := r.Options
	d, err := device.Load(cmp.Or(r.Device, device.Default))
	if err == nil {
		o.Only, err = implementations("only", r.Only, o.Call)
	}
	if err == nil {
		o.Exclude, err = implementations("exclude", r.Exclude, o.Call)
	}
	return d, o, err
}

func implementations(field, names string, of device.Call) (list []impl.Spec, err error) {
	for _, name := range impl.Split(names) {
		v, err := of.Parse(name)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrArgument, field, err)
		}
		list = append(list, v)
	}
	return list, nil
}

// Choose answers for a stream in memory, of which it reads a sample, or with Whole everything.
func (r *Request) Choose(s Stream) (Answer, error) {
	d, o, err := r.profile()
	if err != nil {
		return Answer{}, err
	}
	if s.Type().Bytes() == 8 {
		o.Call.IndexBytes = 8
	}
	src := r.source(s)
	if r.Whole || src.wide || s.ignores() {
		o.Padded, o.SearchLaunch, o.Reading.From = src.padded(), !r.RuleLaunch, math.MaxUint64
	} else if o.Reading.Budget = &r.Sampling; r.Bins == 0 {
		return Answer{}, fmt.Errorf("%w: bins is 0: a sample cannot tell how many targets there are",
			ErrArgument)
	}
	decision, err := tuner.ChooseSource(context.Background(), src, d, o)
	if err != nil {
		return Answer{}, err
	}
	a := answer(&decision, d)
	if l := decision.Sampling; l != nil && l.Sampled {
		a.Source, a.Sampled = Sample, l.Updates
	} else if l != nil {
		a.Source = Prior
	}
	return a, nil
}

// ChooseStatistics answers for the statistics of a stream.
func (r *Request) ChooseStatistics(s *collision.Stats) (Answer, error) {
	d, o, err := r.profile()
	if err != nil {
		return Answer{}, err
	}
	o.SearchLaunch = !r.RuleLaunch
	decision, err := tuner.Choose(s, d, o)
	if err != nil {
		return Answer{}, err
	}
	return answer(&decision, d), nil
}

// Measure returns the exact statistics of a stream, without the updates that it ignores.
func (r *Request) Measure(s Stream) (collision.Stats, error) {
	d, _, err := r.profile()
	if err != nil {
		return collision.Stats{}, err
	}
	src := r.source(s)
	a, err := tuner.Count(context.Background(), src, collision.Options{Bins: r.Bins,
		WarpSize: int(d.Core.WarpLanes.Value), Rows: src.wide, Padded: src.padded()})
	if err != nil {
		return collision.Stats{}, err
	}
	return a.Stats()
}

// source is a stream to be measured. Updates that it ignores are left out, but of rows stay as padding.
type source struct {
	Stream
	bins uint64
	wide bool
}

func (r *Request) source(s Stream) source { return source{s, r.Bins, r.Options.Call.Wide()} }

func (s source) padded() bool             { return s.wide && s.ignores() }
func (s source) Bins() uint64             { return s.bins }
func (s source) Random() collision.Stream { return s.Stream }

const chunk = 1 << 20

func (s source) Chunks() iter.Seq2[[]uint32, error] {
	return func(yield func([]uint32, error) bool) {
		part, err := make([]uint32, 0, min(chunk, s.Len())), error(nil)
		for at := 0; at < s.Len() && err == nil; at += chunk {
			part, err = s.keep(part[:0], at, min(at+chunk, s.Len()), s.wide)
			if !yield(part, err) {
				return
			}
		}
	}
}

// answer is the decision, whose reason says besides what the choice needs before the call, and that the
// profile is an estimate.
func answer(d *tuner.Decision, p *device.Profile) Answer {
	a := Answer{Choice: d.Choice, MemoryBytes: d.Ranking[0].MemoryBytes, Launch: d.Ranking[0].Launch,
		Reason: d.Reason}
	notes := model.ProfileNotes(p)
	if before := d.Beforehand(); before != "" {
		notes = append(notes, before)
	}
	for _, note := range notes {
		a.Reason += " Note that " + note + "."
	}
	if d.Floor != nil {
		a.FloorUS = d.Floor.US
	}
	return a
}

// key is what a plan for a stream is found by; gpu is the GPU's name, "" for the profile's title.
func (r *Request) key(gpu string, d *device.Profile, s Stream) (plan.Key, error) {
	if r.Options.Call.Wide() {
		return plan.Key{}, fmt.Errorf("%w: width: plans are only for single targets", ErrArgument)
	}
	if r.Bins == 0 {
		return plan.Key{}, fmt.Errorf("%w: bins is 0: a plan is for a number of targets", ErrArgument)
	}
	if gpu == "" {
		gpu = d.Title
	}
	return plan.NewKey(gpu, r.Options.Call, s.Type(), uint64(s.Len()), r.Bins,
		func(at uint64) uint32 { return s.target(int(at), r.Bins) }), nil
}

// FindPlan looks a plan up: a miss unless the device can run it and the options admit it.
func (r *Request) FindPlan(path, gpu string, s Stream) (Answer, bool, error) {
	d, o, err := r.profile()
	if err != nil {
		return Answer{}, false, err
	}
	key, err := r.key(gpu, d, s)
	if err != nil {
		return Answer{}, false, err
	}
	p, ok := plan.Load(path, key)
	if !ok || tuner.CheckKept(p.Implementation, p.Launch, d, o, p.Updates, p.Bins) != nil {
		return Answer{}, false, nil
	}
	a := untimed(p.Implementation, d.Limits().Shape(p.Implementation, device.Call{Type: p.Type}, p.Bins, p.Updates,
		p.Launch))
	a.Source, a.Reason = Plan, "A plan of the same call has it."
	return a, true, nil
}

// untimed is an answer without times.
func untimed(v impl.Spec, launch device.Shape) Answer {
	return Answer{Choice: tuner.Choice{Implementation: v, Class: v.Class().String()}, Launch: launch}
}

// SavePlan keeps a choice for a stream as a plan. Errors wrap ErrFile where the file fails.
func (r *Request) SavePlan(path, gpu string, s Stream, implementation string,
	l device.Launch) error {
	d, _, err := r.profile()
	if err != nil {
		return err
	}
	key, err := r.key(gpu, d, s)
	if err != nil {
		return err
	}
	v, err := impl.Parse(implementation)
	if err != nil {
		return fmt.Errorf("%w: implementation: %w", ErrArgument, err)
	}
	if err := l.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrArgument, err)
	}
	if err := plan.Save(path, plan.Plan{Key: key, Implementation: v, Launch: l}); err != nil {
		return fmt.Errorf("%w: %w", ErrFile, err)
	}
	return nil
}
