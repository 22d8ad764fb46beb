package speedup

import (
	"cmp"
	"slices"

	"github.com/atomtune/atomtune/collision"
)

// Bound is the time that one part of the device needs for a phase.
type Bound struct {
	Name    string  `json:"name"`
	US      float64 `json:"us"`
	Formula string  `json:"formula"`
}

// Phase is one stretch of a call. Its bounds overlap: US is their maximum.
type Phase struct {
	Name    string  `json:"name"`
	US      float64 `json:"us"`
	Binding string  `json:"binding"` // name of the largest bound
	Bounds  []Bound `json:"bounds"`  // those above zero, largest first
}

// Cost is the predicted time of one call.
type Cost struct {
	US      float64 `json:"us"`      // the sum over the phases
	Binding string  `json:"binding"` // the largest bound of the longest phase
	Bounds  []Bound `json:"bounds"`  // the bounds of the longest phase, largest first
	Phases  []Phase `json:"phases"`  // in the order in which they run
}

// Explain returns the time of the implementation at that place of CompileAll's list with its
// phases and bounds. Errors are those of Check.
func (b *Bundle) Explain(s *collision.Stats, place int) (Cost, error) {
	if err := b.Check(s, place); err != nil {
		return Cost{}, err
	}
	var e evaluation
	c, st := &b.list[place], &e.st
	b.begin(s, &e)
	b.reduce(&b.reductions[c.reduction], st, &e.adds)
	cost := Cost{US: b.price(c, &e)}
	if c.perUS > 0 {
		cost.add(single("host", "relayout", st.updates*c.perUS, "updates * relayout"))
	}
	if st.clears > 0 {
		cost.add(single("clear", "memory", st.clearUS, "targets * size / memory rate"))
	}
	for i, name := range phasesOf[c.v.Base] {
		cost.add(explain(name, &e.x[i]))
	}
	launch := cost.US
	for _, p := range cost.Phases {
		launch -= p.US
	}
	cost.add(single("launch", "launch", launch,
		"first + what the device waits for launches: max(number * next, end + gap)"))
	return cost, nil
}

// add appends a phase; the longest one names the cost's bounds.
func (c *Cost) add(p Phase) {
	c.Phases = append(c.Phases, p)
	longest := slices.MaxFunc(c.Phases, func(a, b Phase) int { return cmp.Compare(a.US, b.US) })
	c.Binding, c.Bounds = longest.Binding, longest.Bounds
}

// single is a phase with one bound.
func single(phase, bound string, us float64, formula string) Phase {
	return Phase{Name: phase, US: us, Binding: bound, Bounds: []Bound{{bound, us, formula}}}
}

// explain lists every bound of a phase.
func explain(name string, x *bounds) Phase {
	list := make([]Bound, 0, boundCount)
	for i, us := range x {
		if us > 0 {
			list = append(list, Bound{boundTexts[i].name, us, boundTexts[i].formula})
		}
	}
	slices.SortStableFunc(list, func(a, b Bound) int { return cmp.Compare(b.US, a.US) })
	return Phase{Name: name, US: list[0].US, Binding: list[0].Name, Bounds: list}
}
