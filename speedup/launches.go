package speedup

import (
	"math"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
)

// Launches is a bundle under several launches, of which each implementation takes its best. It is
// safe for concurrent use.
type Launches struct {
	list []device.Launch
	of   []*Bundle
}

// Under returns the bundle under several launches; the zero launch among them is the rule. Errors
// wrap device.ErrLaunch.
func (b *Bundle) Under(list []device.Launch) (*Launches, error) {
	l := &Launches{list: list}
	for _, fixed := range list {
		of, err := b.Launched(fixed)
		if err != nil {
			return nil, err
		}
		l.of = append(l.of, of)
	}
	return l, nil
}

// US writes the least time over the launches of each implementation in microseconds, and the first
// launch that has it, in the order of CompileAll. A time is +Inf where no launch can run the
// stream; the rest is as in Bundle.US.
func (l *Launches) US(s *collision.Stats, us []float64, best []device.Launch) {
	for i := range us {
		us[i], best[i] = math.Inf(1), l.list[0]
	}
	of := make([]float64, len(us))
	for k, b := range l.of {
		b.US(s, of)
		for i, t := range of {
			if t < us[i] {
				us[i], best[i] = t, l.list[k]
			}
		}
	}
}

// Explain is Bundle.Explain of the implementation at that place under one of the launches.
func (l *Launches) Explain(s *collision.Stats, place int, fixed device.Launch) (Cost, error) {
	for k, other := range l.list {
		if other == fixed {
			return l.of[k].Explain(s, place)
		}
	}
	return Cost{}, device.ErrLaunch
}
