// Package online learns the fastest implementation from the times of launches that
// repeat. It starts from what package tuner predicts.
package online

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/model"
)

var (
	// ErrObservation reports a time that no launch takes, or of a launch that
	// was not chosen by this Online, was forgotten, or was observed already.
	ErrObservation = errors.New("bad observation")
	// ErrState reports a saved state that is unreadable or belongs to other
	// predictions.
	ErrState = errors.New("unusable state of an online tuner")
)

// An Online chooses the implementation of repeated launches and learns from their times. It
// starts from the model's choice, tries others while they may be faster, and loses no more
// than its Bound against the best fixed implementation.
//
// Launches of one key, any valid UTF-8, are taken to have streams that are alike: an
// implementation's time over its prediction is the same for all of them. Equal calls give
// equal answers. It is safe for concurrent use.
type Online struct {
	mu      sync.Mutex
	options Options
	rules   rules
	device  string
	model   *forecaster
	source  string // fingerprint of the forecasts
	records map[string]*record
}

// A Launch is what Online chose. Observe takes it back with its time.
type Launch struct {
	Key            string
	Implementation impl.Spec
	// PredictedUS is the time that is expected now, of the model and what was
	// learnt, and LowUS and HighUS the interval that Bound rests on.
	PredictedUS, LowUS, HighUS float64
	// Trial is set where the launch serves to learn of an implementation that is
	// not the one that is expected to be fastest.
	Trial bool

	arm  int
	base float64 // ln of the model's predicted time
	of   *Online
	// under holds what is known of the key, and number is the launch's place among
	// those that Next has chosen under it, from 1.
	under  *record
	number uint64
}

// New prepares choices for a device. The error wraps ErrOptions, ErrModel
// or ErrNone.
func New(d *device.Profile, o Options) (*Online, error) {
	o, err := o.complete()
	if err != nil {
		return nil, fmt.Errorf("new online: %w", err)
	}
	on := &Online{options: o, rules: o.rules(), device: d.Name, records: map[string]*record{}}
	if on.model, err = newForecaster(d, o); err != nil {
		return nil, fmt.Errorf("new online: %w", err)
	}
	if on.source, err = on.model.fingerprint(); err != nil {
		return nil, fmt.Errorf("new online: %w", err)
	}
	return on, nil
}

// Next chooses the implementation of the next launch under a key, on a stream with these
// statistics; nil stands for those of the key's last launch. It allocates only for a new
// key. The error wraps ErrStats, ErrNone, or ErrOptions for a key too many or one that is
// not UTF-8.
func (o *Online) Next(key string, s *collision.Stats) (Launch, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	k := o.records[key]
	if k == nil || !k.known {
		if s == nil {
			return Launch{}, fmt.Errorf("next: no statistics were given for key %q yet: %w", key,
				model.ErrStats)
		}
	}
	if k == nil {
		if !utf8.ValidString(key) {
			return Launch{}, fmt.Errorf("next: key %q is not valid UTF-8: %w", key, model.ErrOptions)
		}
		if len(o.records) >= o.options.Keys {
			return Launch{}, fmt.Errorf("next: key %q would be one more than %d: %w", key,
				o.options.Keys, model.ErrOptions)
		}
		k = newRecord(len(o.model.arms), o.options.Noise)
	}
	if s != nil && !(k.known && *s == k.stats) {
		if err := o.model.fill(s, k.forecasts); err != nil {
			k.known = false
			return Launch{}, fmt.Errorf("next: key %q: %w", key, err)
		}
		k.stats, k.known = *s, true
	}
	if o.records[key] == nil {
		o.records[key] = k
	}
	l := o.launch(key, k, k.decide(o.rules))
	l.number = k.open.add()
	return l, nil
}

func (o *Online) launch(key string, k *record, arm int) Launch {
	e, w := k.est[arm], k.width[arm]
	return Launch{
		Key: key, Implementation: o.model.arms[arm],
		PredictedUS: math.Exp(e), LowUS: math.Exp(e - w), HighUS: math.Exp(e + w),
		Trial: arm != k.incumbent, arm: arm, base: k.forecasts[arm].ln, of: o, under: k,
	}
}

// mostLn bounds a reading: no launch takes e^100 times what is predicted.
const mostLn = 100

// Observe learns that the launch took so many microseconds. Each launch of Next is observed
// at most once, in any order, before 1,024 more were chosen under its key, and not after
// Forget, Load or Decode. The error wraps ErrObservation.
func (o *Online) Observe(l Launch, us float64) error {
	if l.of != o {
		return fmt.Errorf("observe: the launch of key %q was not chosen here: %w", l.Key, ErrObservation)
	}
	if !(us > 0) || math.IsInf(us, 0) {
		return fmt.Errorf("observe: key %q, %s: time %v us: %w", l.Key, l.Implementation, us, ErrObservation)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	k := o.records[l.Key]
	if k == nil || k != l.under {
		return fmt.Errorf("observe: key %q was forgotten or loaded since the launch was chosen: %w",
			l.Key, ErrObservation)
	}
	reading := math.Log(us) - l.base
	if math.Abs(reading) > mostLn {
		return fmt.Errorf("observe: key %q, %s: time %v us for a predicted one of %v us: %w", l.Key,
			l.Implementation, us, math.Exp(l.base), ErrObservation)
	}
	if !k.open.take(l.number) {
		return fmt.Errorf("observe: key %q, %s: %w: %s", l.Key, l.Implementation, ErrObservation,
			k.open.gone(l.number))
	}
	k.observe(l.arm, reading, us, o.rules)
	return nil
}

// Learnt is what an Online knows under one key.
type Learnt struct {
	// what is expected to be fastest, for the last launch's stream; Observe refuses it
	Best     Launch
	Settled  bool    // nothing may be faster by more than 4/5 of Epsilon
	Launches uint64  // observed
	TotalUS  float64 // of these
	Noise    float64 // estimated standard deviation of ln(time)
	Bound    Bound
}

// Learnt returns what is known under a key. It changes nothing. The error wraps
// ErrOptions for a key under which there was no launch.
func (o *Online) Learnt(key string) (Learnt, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	k := o.records[key]
	if k == nil || !k.known {
		return Learnt{}, fmt.Errorf("learnt: no launch under key %q: %w", key, model.ErrOptions)
	}
	k.estimate(o.rules)
	return Learnt{
		Best: o.launch(key, k, k.incumbent), Settled: k.converged,
		Launches: k.Launches, TotalUS: k.TotalUS, Noise: k.Sigma,
		Bound: k.bound(o.options, o.rules),
	}, nil
}

// Forget drops what was learnt under a key.
func (o *Online) Forget(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.records, key)
}

// Keys returns the keys under which something is known, in ascending order.
func (o *Online) Keys() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	keys := make([]string, 0, len(o.records))
	for key := range o.records {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
