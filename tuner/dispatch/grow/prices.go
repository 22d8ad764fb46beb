package grow

import (
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/model"
)

// A Pricer predicts what candidates add to a busy stream, in closed form. It is not safe for concurrent use.
type Pricer struct {
	device     *device.Profile
	limits     device.Limits
	Candidates []dispatch.Candidate
	bundles    map[bundleKey]*bundle
}

type bundleKey struct {
	call   device.Call
	launch device.Launch
}

// bundle prices all implementations that the candidates of a launch may become.
type bundle struct {
	list   []impl.Spec // that the device can run
	prices *speedup.Bundle
	us     []float64
}

// NewPricer prepares the prices of candidates.
func NewPricer(d *device.Profile, candidates []dispatch.Candidate) *Pricer {
	return &Pricer{device: model.WithoutHost(d), limits: d.Limits(), Candidates: candidates,
		bundles: map[bundleKey]*bundle{}}
}

// fallenBack makes a candidate dearer where its implementation does not fit or cannot run, so that a tree
// names what runs.
const fallenBack = 1.05

// US returns the time of each candidate in microseconds. Found has, for each of tableSlots, the share of the
// updates whose targets a table filled by the sample holds; without it, tables hold what known ones do. The
// sample costs every candidate as much, and is left out. What cannot run falls back to global atomics with the candidate's reduction,
// or without where it cannot run either.
func (p *Pricer) US(s *collision.Stats, c device.Call, found []float64) ([]float64, error) {
	us := make([]float64, len(p.Candidates))
	evaluated := map[*bundle]bool{}
	for i, a := range p.Candidates {
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
		for k, v := range []impl.Spec{a.Fitted(p.limits, c.Type, s.Bins),
			{Reduction: own.Reduction}, {}} {
			if math.IsInf(us[i], 1) && v.Worthwhile(s.Bins, c.Type.Bytes()) && follows(v, s) {
				us[i] = b.price(v, s, found)
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
const fewestFollowed = 1 << 21

// follows reports whether an implementation that takes several kernels is worth launching them for nothing.
// Implementations of one kernel always are.
func follows(v impl.Spec, s *collision.Stats) bool {
	return v.Width == 0 || s.Updates >= fewestFollowed
}

// tableSlots are the sizes of the tables among the candidates.
var tableSlots = []int{64, 256, 1024, 4096, 8192}

// price returns the time of one implementation, +Inf where it cannot run. A table costs what one of known
// targets costs, and what the sample does not find besides.
func (b *bundle) price(v impl.Spec, s *collision.Stats, found []float64) float64 {
	known := v
	known.Sample = 0
	at, from := slices.Index(b.list, v), slices.Index(b.list, known)
	switch {
	case at < 0 || from < 0:
		return math.Inf(1)
	case v.Slots == 0 || math.IsInf(b.us[at], 1):
		return b.us[at]
	}
	us := b.us[from] + b.mainUS(at, s) - b.mainUS(from, s)
	return max(us, b.missedUS(v, s, found))
}

// missedUS is what the misses of a table take at least: their share of what all updates take without it, if
// targets that miss are as frequent as others. The closed form does not know that the updates of one time meet
// in few targets.
func (b *bundle) missedUS(v impl.Spec, s *collision.Stats, found []float64) float64 {
	without := slices.Index(b.list, impl.Spec{Reduction: v.Reduction})
	if without < 0 || math.IsInf(b.us[without], 1) {
		return 0
	}
	table := 0
	for table+1 < collision.Tables && collision.TableSlots(table+1) <= v.Slots {
		table++
	}
	m := &s.Misses[table]
	misses := m.LanesPerWarp / float64(s.WarpSize)
	if k := slices.Index(tableSlots, v.Slots); k >= 0 && found != nil {
		misses = max(misses, 1-found[k])
	}
	return b.us[without] * misses * float64(m.MaxFrequency) / float64(s.MaxFrequency)
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
	if c.Returns && l.Unroll > 1 { // kernels that hand out old values take one iteration at a time
		l.Unroll = 1
	}
	key := bundleKey{c, l}
	if b := p.bundles[key]; b != nil {
		return b, nil
	}
	b := &bundle{list: speedup.Runnable(p.implementations(l), p.device, c)}
	b.us = make([]float64, len(b.list))
	prices, err := speedup.CompileAll(b.list, p.device, c)
	if err == nil {
		prices, err = prices.Launched(l)
	}
	if err == nil {
		b.prices = prices.Busy()
	}
	p.bundles[key] = b
	return b, err
}

// implementations lists what the candidates of a launch may become: with fewer copies, with known targets, or
// global atomics.
func (p *Pricer) implementations(l device.Launch) (list []impl.Spec) {
	list = append(list, impl.Spec{})
	for _, a := range p.Candidates {
		v := a.Implementation
		if own := a.Launch.On(p.limits); own.Threads != l.Threads {
			continue
		}
		list = append(list, impl.Spec{Reduction: v.Reduction})
		for copies := v.R(); copies >= 1; copies-- {
			if v.R() > 1 {
				v.Replicas = copies
			}
			for pad := range v.Pad + 1 {
				apart := v
				apart.Pad = pad
				known := dispatch.Single(apart)
				known.Sample = 0
				list = append(list, dispatch.Single(apart), known)
			}
		}
	}
	return list
}
