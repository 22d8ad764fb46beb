package speedup

import (
	"cmp"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// Predict returns the time of one call of the implementation on a stream with
// these statistics, as two events around it on the device see it: the clearing
// of the targets, the launches and the kernels, and for ss the host's re-layout
// too; indices and values lie in device memory already.
//
// Errors wrap device.ErrCannot, device.ErrType, variant.ErrName, ErrReturns,
// ErrNotGrouped or ErrStats.
func Predict(v variant.Variant, s *collision.Stats, d *device.Profile, c device.Call) (Cost, error) {
	m, err := Compile(v, d, c)
	if err != nil {
		return Cost{}, err
	}
	return m.Explain(s)
}

// Explain returns the time of the implementation at that place in the list of
// CompileAll with its phases and bounds. Errors are those of Check.
func (b *Bundle) Explain(s *collision.Stats, place int) (Cost, error) {
	if err := b.Check(s, place); err != nil {
		return Cost{}, err
	}
	var p Pricing
	b.Start(s, &p)
	st, c := &p.st, &b.list[place]
	cost := Cost{US: p.US(place), Phases: make([]Phase, 0, mostPhases)}
	if c.perUS > 0 {
		cost.add(single("host", "relayout", st.updates*c.perUS, "updates * relayout"))
	}
	if st.cleared > 0 {
		cost.add(single("clear", "memory", st.clearUS, "targets * size / memory rate"))
	}
	for i, name := range phasesOf[c.v.Base] {
		cost.add(explain(name, &p.x[i]))
	}
	launch := cost.US
	for _, p := range cost.Phases {
		launch -= p.US
	}
	cost.add(single("launch", "launch", launch, "first + what the device waits for launches: max(number * next, end + gap)"))
	return cost, nil
}

// add appends a phase; the longest one names the cost's bounds.
func (c *Cost) add(p Phase) {
	c.Phases = append(c.Phases, p)
	longest := 0
	for i := range c.Phases {
		if c.Phases[i].US > c.Phases[longest].US {
			longest = i
		}
	}
	c.Binding, c.Bounds = c.Phases[longest].Binding, c.Phases[longest].Bounds
}

// mostPhases is the most phases that a call has, the host, the clearing and the
// launches among them.
const mostPhases = 7

// single is a phase with one bound.
func single(phase, bound string, us float64, formula string) Phase {
	return Phase{Name: phase, US: us, Binding: bound, Bounds: []Bound{{bound, us, formula}}}
}

// explain lists every bound of a phase.
func explain(name string, x *bounds) Phase {
	var list [boundCount]Bound
	n := 0
	for i, us := range x {
		if us > 0 {
			list[n] = Bound{boundTexts[i].name, us, boundTexts[i].formula}
			n++
		}
	}
	largest := slices.Clone(list[:n])
	slices.SortStableFunc(largest, func(a, b Bound) int { return cmp.Compare(b.US, a.US) })
	return Phase{Name: name, US: largest[0].US, Binding: largest[0].Name, Bounds: largest}
}
