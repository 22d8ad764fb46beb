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
	list []device.Launch
	of   []*Bundle
	// ruled: the rule's launch is among them
	ruled bool
}

// Under returns the bundle under several launches; the zero launch among them is the rule. Errors
// wrap device.ErrLaunch.
func (b *Bundle) Under(list []device.Launch) (*Launches, error) {
	l := &Launches{list: list, ruled: slices.Contains(list, device.Launch{})}
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
// launch that has it, in the order of CompileAll. Implementations that were never measured keep the
// rule's launch where that is among them. A time is +Inf where no launch can run the
// stream; the rest is as in Bundle.US.
func (l *Launches) US(s *collision.Stats, us []float64, best []device.Launch) {
	for i := range us {
		us[i], best[i] = math.Inf(1), l.list[0]
	}
	of := make([]float64, len(us))
	for k, b := range l.of {
		b.US(s, of)
		for i, t := range of {
			if l.ruled && l.list[k] != (device.Launch{}) && b.list[i].v.Unmeasured() {
				continue // whose launches closed forms may order the wrong way
			}
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
