package speedup

import (
	"cmp"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// Bound is the time that one part of the device needs for a phase.
type Bound struct {
	Bound string  `json:"bound"` // its name, of which Meaning says what it is
	US    float64 `json:"us"`
}

// Phase is one stretch of a call. Its bounds overlap: US is their maximum, of a call that adds rows the
// largest alone.
type Phase struct {
	Name       string
	US         float64
	Bottleneck string  // name of the largest bound
	Bounds     []Bound // those above zero, largest first
}

// Cost is the predicted time of one call.
type Cost struct {
	US         float64 // the sum over the phases
	IdleUS     float64 // of it, what the call takes longer on an idle device than it adds to a busy stream
	Bottleneck string  // the largest bound of the longest phase; of a call that adds rows of all
	Phases     []Phase // in the order in which they run
	Parts      []Bound // all bounds of a call that adds rows, largest first; nil of others
}

// Predict returns the time of one call of the implementation on a stream with these statistics, as
// two events around it on the device see it: the clearing of the targets, the launches and the
// kernels, and for ss the host's re-layout too; indices and values lie in device memory already.
// Errors are those of CompileAll and of Bundle.Check.
func Predict(v impl.Spec, s *collision.Stats, d *device.Profile, c device.Call) (Cost,
	error) {
	b, err := CompileAll([]impl.Spec{v}, d, c)
	if err != nil {
		return Cost{}, err
	}
	return b.Explain(s, 0)
}

// Explain returns the time of the implementation at that place of CompileAll's list with its
// phases and bounds. Errors are those of Check.
func (b *Bundle) Explain(s *collision.Stats, place int) (Cost, error) {
	if err := b.Check(s, place); err != nil {
		return Cost{}, err
	}
	if b.c.Wide() {
		return b.explainRows(&b.list[place], s), nil
	}
	var e evaluation
	c, st := &b.list[place], &e.st
	b.read(s, st)
	b.setGrid(&b.small, st, &e.roomy)
	b.reduce(&b.reductions[c.reduction], st, &e.adds)
	cost := Cost{US: b.price(c, &e)}
	cost.IdleUS = cost.US - b.busyUS(c, s)
	if c.perUS > 0 {
		cost.add("host", Bound{"relayout", st.updates * c.perUS})
	}
	if st.clears > 0 {
		cost.add("clear", Bound{"memory", st.clearUS})
	}
	for i, name := range c.v.Phases(b.c.Returns) {
		var list []Bound
		for bound, us := range e.x[i] {
			if us > 0 {
				list = append(list, Bound{bindings[bound].name, us})
			}
		}
		slices.SortStableFunc(list, func(a, b Bound) int { return cmp.Compare(b.US, a.US) })
		if len(list) > 0 { // else the call goes without it
			cost.add(name, list...)
		}
	}
	launch := cost.US
	for _, p := range cost.Phases {
		launch -= p.US
	}
	cost.add("launch", Bound{"launch", launch}) // what the device waits for launches
	return cost, nil
}

// Busy returns the bundle whose prices are what calls add to a stream in which the host is ahead of the
// device: each kernel follows the one before it after Gap, the first too.
func (b *Bundle) Busy() *Bundle {
	busy := *b
	busy.first, busy.next = b.gap, 0
	return &busy
}

func (b *Bundle) busyUS(c *candidate, s *collision.Stats) float64 {
	busy, e := b.Busy(), evaluation{}
	busy.read(s, &e.st)
	busy.setGrid(&busy.small, &e.st, &e.roomy)
	busy.reduce(&busy.reductions[c.reduction], &e.st, &e.adds)
	return busy.price(c, &e)
}

// add appends a phase of these bounds, the largest first. The longest phase names the cost's bound.
func (c *Cost) add(name string, list ...Bound) {
	c.Phases = append(c.Phases, Phase{name, list[0].US, list[0].Bound, list})
	longest := slices.MaxFunc(c.Phases, func(a, b Phase) int { return cmp.Compare(a.US, b.US) })
	c.Bottleneck = longest.Bottleneck
}
