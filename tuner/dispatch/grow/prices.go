package grow

import (
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// A Pricer tells what actions take on a device, in closed form. It is not safe for concurrent use.
type Pricer struct {
	device  *device.Profile
	limits  device.Limits
	Actions []dispatch.Action
	bundles map[bundleKey]*bundle
}

type bundleKey struct {
	call   device.Call
	launch device.Launch
}

// bundle prices all forms that the actions of a launch may become.
type bundle struct {
	list   []variant.Variant // that the device can run
	prices *speedup.Bundle
	us     []float64
}

// NewPricer prepares the prices of actions.
func NewPricer(d *device.Profile, actions []dispatch.Action) *Pricer {
	return &Pricer{device: model.WithoutHost(d), limits: d.Limits(), Actions: actions,
		bundles: map[bundleKey]*bundle{}}
}

// fallenBack makes an action dearer where its form does not fit or cannot run, so that a tree
// names what runs.
const fallenBack = 1.05

// US returns the time of each action in microseconds. The sample costs every action as much,
// and is left out. What cannot run falls back to global atomics with the action's reduction,
// or without where it cannot run either.
func (p *Pricer) US(s *collision.Stats, c device.Call) ([]float64, error) {
	us := make([]float64, len(p.Actions))
	evaluated := map[*bundle]bool{}
	for i, a := range p.Actions {
		b, err := p.bundleOf(c, a.Launch.On(p.limits))
		if err != nil {
			return nil, err
		}
		if !evaluated[b] {
			b.prices.US(s, b.us)
			evaluated[b] = true
		}
		own := a.Implementation
		us[i] = math.Inf(1)
		for k, v := range []variant.Variant{a.Fitted(p.limits, c.Type, s.Bins),
			{Reduction: own.Reduction}, {}} {
			if math.IsInf(us[i], 1) && v.Worthwhile(s.Bins, c.Type.Bytes()) && p.follows(v, s, c) {
				us[i] = b.price(v, s)
				if k > 0 {
					us[i] *= fallenBack
				}
			}
		}
		if math.IsInf(us[i], 1) {
			return nil, fmt.Errorf("%w: %s has no time for %s", ErrDevice, p.device.Name, a)
		}
	}
	return us, nil
}

// fewestFollowed is the number of updates from which on a call waits for the kernels of a
// partition, which it launches before it knows whether they have anything to do.
const fewestFollowed = 1 << 22

// follows reports whether a form that takes several kernels is worth launching them for nothing:
// where the targets of many updates are beyond L2. Forms of one kernel always are.
func (p *Pricer) follows(v variant.Variant, s *collision.Stats, c device.Call) bool {
	l2 := p.device.Memory.L2AtomicBytes.Value
	return v.Width == 0 ||
		s.Updates >= fewestFollowed && float64(s.Bins)*float64(c.Type.Bytes()) > l2
}

// price returns the time of one form, +Inf where it cannot run. A table costs what one of known
// targets costs, and what the sample does not find besides.
func (b *bundle) price(v variant.Variant, s *collision.Stats) float64 {
	known := v
	known.Sample = 0
	at, from := slices.Index(b.list, v), slices.Index(b.list, known)
	switch {
	case at < 0 || from < 0:
		return math.Inf(1)
	case v.Sample == 0 || math.IsInf(b.us[at], 1):
		return b.us[at]
	}
	return b.us[from] + b.mainUS(at, s) - b.mainUS(from, s)
}

// mainUS is the time of the phases behind the sample.
func (b *bundle) mainUS(at int, s *collision.Stats) (us float64) {
	cost, err := b.prices.Explain(s, at)
	if err != nil {
		return math.Inf(1)
	}
	for _, phase := range cost.Phases {
		if !slices.Contains([]string{"launch", "clear", "sample"}, phase.Name) {
			us += phase.US
		}
	}
	return us
}

func (p *Pricer) bundleOf(c device.Call, l device.Launch) (*bundle, error) {
	if c.Returns && l.Unroll > 1 { // kernels that hand out old values take one turn at a time
		l.Unroll = 1
	}
	key := bundleKey{c, l}
	if b := p.bundles[key]; b != nil {
		return b, nil
	}
	b := &bundle{list: speedup.Runnable(p.forms(l), p.device, c)}
	b.us = make([]float64, len(b.list))
	prices, err := speedup.CompileAll(b.list, p.device, c)
	if err == nil {
		b.prices, err = prices.Launched(l)
	}
	p.bundles[key] = b
	return b, err
}

// forms lists what the actions of a launch may become: with fewer copies, with known targets, or
// global atomics.
func (p *Pricer) forms(l device.Launch) (list []variant.Variant) {
	list = append(list, variant.Variant{})
	for _, a := range p.Actions {
		v := a.Implementation
		if own := a.Launch.On(p.limits); own.Threads != l.Threads {
			continue
		}
		list = append(list, variant.Variant{Reduction: v.Reduction})
		for copies := v.R(); copies >= 1; copies-- {
			if v.R() > 1 {
				v.Replicas = copies
			}
			known := dispatch.Single(v)
			known.Sample = 0
			list = append(list, dispatch.Single(v), known)
		}
	}
	return list
}
