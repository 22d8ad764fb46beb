package locks

import (
	"cmp"
	"math"
	"slices"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// A Row sums up the calls of one implementation with one element type on one device.
type Row struct {
	Device         string      `json:"device"`
	Implementation impl.Spec   `json:"implementation"`
	Type           device.Type `json:"type"`
	Calls          int         `json:"calls"`
	ClosedForm     Error       `json:"closed_form"`
	Difference     Parts       `json:"difference"` // ln(simulated/closed form)
}

// A Group sums up all calls of one device that add in the same way.
type Group struct {
	Device     string `json:"device"`
	Adds       string `json:"adds"` // where, and in shared memory by which mechanism
	Calls      int    `json:"calls"`
	Difference Parts  `json:"difference"`
	All        Calls  `json:"all"`
	Worst      Calls  `json:"worst"` // the hundredth of the calls on which the two differ most
}

// Calls says of some calls of a group how often warps conflict in them, in percent.
type Calls struct {
	SquaresPercent float64 `json:"squares_percent"` // of the group's mean square that they make up
	SharingPercent float64 `json:"sharing_percent"` // in which other warps hold a mean update's target
	HotPercent     float64 `json:"hot_percent"`     // in which one target has a quarter of the updates
}

// Widest is a call on which the closed form and the simulator lie far apart.
type Widest struct {
	Device         string      `json:"device"`
	Implementation impl.Spec   `json:"implementation"`
	Type           device.Type `json:"type"`
	Stream         synth.Spec  `json:"stream"`
	OtherWarps     float64     `json:"other_warps"` // that hold a mean update's target
	HotShare       float64     `json:"hot_share"`   // of the updates, of the hottest target
	SimulatedUS    float64     `json:"simulated_us"`
	ClosedFormUS   float64     `json:"closed_form_us"`
}

// factor is how far the closed form is off, in ln.
func (w Widest) factor() float64 { return math.Abs(math.Log(w.ClosedFormUS / w.SimulatedUS)) }

// widest is how many calls of a device are listed, at most one of a line of the sweep.
const widest = 10

// A tally holds the calls of a row or group.
type tally struct {
	difference  []float64 // ln(simulated/closed form)
	others, hot []float64 // warps that hold a target, share of the hottest
}

func (t *tally) add(difference, others, hot float64) {
	t.difference, t.others = append(t.difference, difference), append(t.others, others)
	t.hot = append(t.hot, hot)
}

// group sums up a way of adding.
func (t *tally) group(gpu, adds string) Group {
	order := make([]int, len(t.others)) // of the calls, those first that differ most
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(math.Abs(t.difference[b]), math.Abs(t.difference[a]))
	})
	return Group{gpu, adds, len(order), partsOf(t.difference, t.others), t.calls(order),
		t.calls(order[:(len(order)+99)/100])}
}

// hotShare is the share of the updates from which on a target counts as hot.
const hotShare = 0.25

// calls sums up some calls, one at least.
func (t *tally) calls(some []int) (c Calls) {
	var squares, all, sharing, hot float64
	for _, d := range t.difference {
		all += d * d
	}
	for _, i := range some {
		squares += t.difference[i] * t.difference[i]
		if t.others[i] >= 1 {
			sharing++
		}
		if t.hot[i] >= hotShare {
			hot++
		}
	}
	n := float64(len(some))
	if all > 0 {
		c.SquaresPercent = 100 * squares / all
	}
	c.SharingPercent, c.HotPercent = 100*sharing/n, 100*hot/n
	return c
}

// report sums up a sweep: each implementation and type in their orders, each way of adding, and the
// calls on which closed form and simulator differ most.
func (s *sweep) report() (r Report) {
	groups := map[string]*tally{}
	for v, name := range s.Implementations {
		for _, of := range device.Types() {
			var row tally
			adds := s.adds(name, of)
			if groups[adds] == nil {
				groups[adds] = &tally{}
			}
			for i := range s.Samples {
				if one := &s.Samples[i]; s.types[i] == of && one.Has(v) {
					row.add(one.Target[v], s.others[i], s.hot[i])
					groups[adds].add(one.Target[v], s.others[i], s.hot[i])
				}
			}
			if len(row.others) > 0 {
				r.Rows = append(r.Rows, Row{Device: s.device, Implementation: name, Type: of,
					Calls: len(row.others), ClosedForm: errorOf(row.difference),
					Difference: partsOf(row.difference, row.others)})
			}
		}
	}
	for _, adds := range []string{byLock, byCAS, atTargets, otherwise} {
		if g := groups[adds]; g != nil && len(g.others) > 0 {
			r.Groups = append(r.Groups, g.group(s.device, adds))
		}
	}
	r.Widest = s.widest()
	return r
}

// Where and how implementations add.
const (
	byLock    = "in private copies, by locks"
	byCAS     = "in private copies, by compare-and-swap"
	atTargets = "at the targets"
	otherwise = "without atomics"
)

// adds says where and how an implementation adds elements of a type.
func (s *sweep) adds(v impl.Spec, of device.Type) string {
	switch {
	case v.Site() == impl.AtTargets:
		return atTargets
	case v.Site() != impl.PerBlock:
		return otherwise
	case s.gpu.SharedUpdate(device.Call{Type: of}).Mechanism == device.Lock:
		return byLock
	}
	return byCAS
}

// widest lists the calls on which closed form and simulator differ most.
func (s *sweep) widest() (far []Widest) {
	lines := map[int]Widest{} // by line of the sweep
	for i := range s.Samples {
		one := &s.Samples[i]
		for v, name := range s.Implementations {
			if !one.Has(v) {
				continue
			}
			w := Widest{s.device, name, s.types[i], s.specs[i], s.others[i], s.hot[i], one.Simulated[v],
				one.Closed[v]}
			if seen, ok := lines[one.Line]; !ok || w.factor() > seen.factor() {
				lines[one.Line] = w
			}
		}
	}
	for _, w := range lines {
		far = append(far, w)
	}
	slices.SortFunc(far, func(a, b Widest) int {
		return cmp.Or(cmp.Compare(b.factor(), a.factor()),
			cmp.Compare(a.Stream.String(), b.Stream.String()))
	})
	return far[:min(widest, len(far))]
}
