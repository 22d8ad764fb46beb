package speedup

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
)

// Launches is a bundle under several launches, of which each implementation takes its best. It is
// safe for concurrent use.
type Launches struct {
	of    []*Bundle
	ruled bool // the rule's launch is among them, and stands first
}

// Under returns the bundle under several launches; the zero launch among them is the rule. Errors
// wrap device.ErrLaunch.
func (b *Bundle) Under(list []device.Launch) (*Launches, error) {
	if at := slices.Index(list, device.Launch{}); at > 0 {
		list = slices.Insert(slices.Delete(slices.Clone(list), at, at+1), 0, device.Launch{})
	}
	l := &Launches{ruled: len(list) > 0 && list[0] == device.Launch{}}
	for _, fixed := range list {
		of, err := b.Launched(fixed)
		if err != nil {
			return nil, err
		}
		l.of = append(l.of, of)
	}
	return l, nil
}

// launchGain is by how much another launch than the rule's can make an implementation faster: of
// 5,388 recorded ones on an NVIDIA H200, each in up to 17 launches, one gained 3.9 and all others
// less than this.
const launchGain = 3

// US writes the least time over the launches of each implementation in microseconds, and the first
// launch that has it, in the order of CompileAll, without allocation. Where the rule's launch is among
// them, it comes first, and others are tried for the implementations whose launches matter
// (impl.Spec.Launched) and that come within launchGain of the fastest. A time is +Inf where no
// launch can run the stream; the rest is as in Bundle.US.
func (l *Launches) US(s *collision.Stats, us []float64, best []device.Launch) {
	for i := range us {
		us[i], best[i] = math.Inf(1), l.of[0].fixed
	}
	most := 0.0
	for k, b := range l.of {
		b.least(s, us, best, most)
		if k == 0 && l.ruled && len(us) > 0 {
			most = launchGain * slices.Min(us)
		}
	}
}

// Explain is Bundle.Explain of the implementation at that place under one of the launches.
func (l *Launches) Explain(s *collision.Stats, place int, fixed device.Launch) (Cost, error) {
	for _, b := range l.of {
		if b.fixed == fixed {
			return b.Explain(s, place)
		}
	}
	return Cost{}, device.ErrLaunch
}
