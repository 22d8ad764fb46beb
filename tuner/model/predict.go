package model

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/speedup"
)

// A Prediction is the time of one implementation on one stream, in microseconds:
//
//	US = Kernels + Prepared
//	Kernels = Closed · exp(correction of the tree's leaf and the implementation's implementation)
//
// All are +Inf where the implementation cannot run the stream. The tree is of the rule's launch. Under
// another its correction applies as it is.
type Prediction struct {
	US, Closed, Kernels float64
	Prepared            float64       // the part of one call in what is prepared once, see Asked.Calls
	Low, High           float64       // ends of the 90 % interval; NaN where no call was recorded
	Launch              device.Launch // of the implementation; zero: device.Limits.Shape rules it
}

// Priced is the time by the closed form alone.
func (p *Prediction) Priced() float64 { return p.Closed + p.Prepared }

// TieBand is the part of the lesser of two tied times by which the other may be longer. For half
// of the calls that were recorded on H200s by two runs of a program, on 2026-11-21, the times lay
// less than this apart.
const TieBand = 0.03

// Chosen returns the place of the choice among n implementations, -1 for none: of those whose corrected time is no
// more than a tie over the least the simplest (impl.Spec.Simplicity), and of equally simple ones the first of the
// least closed form. Those of an infinite corrected time cannot run.
func Chosen(n int, at func(place int) (corrected, priced float64, simplicity int)) int {
	least := math.Inf(1)
	for i := range n {
		us, _, _ := at(i)
		least = min(least, us)
	}
	chosen, simplest, lowest := -1, 0, 0.0
	for i := range n {
		us, priced, simplicity := at(i)
		if math.IsInf(us, 1) || us > least*(1+TieBand) {
			continue
		}
		if chosen < 0 || simplicity < simplest || simplicity == simplest && priced < lowest {
			chosen, simplest, lowest = i, simplicity, priced
		}
	}
	return chosen
}

// A Priced is an implementation with what is predicted of it.
type Priced struct {
	Implementation impl.Spec
	Prediction
}

// Choices returns the places of the choice in a list, and of what the closed forms alone would choose; -1 of none.
func Choices(list []Priced) (chosen, closed int) {
	of := func(us func(*Prediction) float64) int {
		return Chosen(len(list), func(i int) (corrected, priced float64, simplicity int) {
			p := &list[i]
			return us(&p.Prediction), p.Priced(), p.Implementation.Simplicity(false)
		})
	}
	return of(func(p *Prediction) float64 { return p.US }), of((*Prediction).Priced)
}

// A Predictor predicts the times of several implementations on one device for
// one kind of call. It is safe for concurrent use.
type Predictor struct {
	List      []impl.Spec
	Bundle    *speedup.Bundle // closed forms in the order of List, of a device with free re-layout
	asked     Asked
	under     *speedup.Launches // of which each implementation takes the best
	hostUS    float64           // of the re-layout on the host, per update
	counting  *speedup.Bundle   // of what counts targets, to find the frequent ones
	tree      *Tree             // nil: the closed forms alone
	factors   [][]float64       // by leaf, in the order of List
	intervals *Intervals
}

// Predictions holds what a Predictor says of one stream. It may be used again.
type Predictions struct {
	List []Prediction // in the order of Predictor.List
	// Tell asks what finding the frequent targets takes of indices that come once too, where it decides nothing.
	Tell   bool
	x      Vector    // features of the stream
	us     []float64 // closed forms
	launch []device.Launch
}

// Asked is what is predicted.
type Asked struct {
	Call device.Call
	// Calls is how often the same indices come, 0 for once. What is prepared once is an N-th part of a call: the
	// re-layout on the host, and finding the most frequent targets where a table must be told them, by counting
	// how often each target occurs, by match where the device has it, and a pass over the counts.
	// `sort` and `partition` move values with the indices, which come anew, in each call.
	Calls    int
	Relaid   bool            // the updates arrive re-laid
	Launches []device.Launch // each implementation takes the best; none: that of the rule
}

// counters are the implementations that count targets, of which the first that a device can run does so.
var counters = impl.List("match naive")

// NewPredictor prepares predictions by a model, or by the closed forms alone if that is nil. Errors are those of
// speedup.CompileAll and speedup.Bundle.Under.
func NewPredictor(list []impl.Spec, d *device.Profile, a Asked, m *Model) (*Predictor, error) {
	closed, err := speedup.CompileAll(list, WithoutHost(d), a.Call)
	if err != nil {
		return nil, err
	}
	a.Calls = max(1, a.Calls)
	p := &Predictor{List: list, Bundle: closed, asked: a}
	if len(a.Launches) == 0 {
		a.Launches = []device.Launch{{}}
	}
	if p.under, err = closed.Under(a.Launches); err != nil {
		return nil, err
	}
	if !a.Relaid {
		p.hostUS = d.Host.Relayout.Value / 1e3
	}
	count := device.Call{Type: device.U32, Operand: device.One, IndexBytes: a.Call.IndexBytes}
	if list := speedup.Runnable(counters, d, count); !a.Call.Wide() && len(list) > 0 {
		if p.counting, err = speedup.CompileAll(list[:1], d, count); err != nil {
			return nil, err
		}
	}
	if m != nil {
		p.tree, p.factors, p.intervals = m.Tree, m.Tree.factors(list), m.Intervals
	}
	return p, nil
}

// Path returns the comparisons by which the tree corrects what was predicted last; nil without a tree.
func (p *Predictor) Path(of *Predictions) []Comparison {
	if p.tree == nil {
		return nil
	}
	return p.tree.Path(&of.x)
}

// Measured reports whether recorded calls give predictions an interval.
func (p *Predictor) Measured() bool { return p.intervals != nil || p.asked.Call.Wide() }

// WithoutHost returns the profile with free re-layout, on which the tree is trained. The
// host's time is added to the corrected time of the kernels.
func WithoutHost(d *device.Profile) *device.Profile {
	bare := *d
	bare.Host.Relayout.Value = 0
	return &bare
}

// Buffer returns memory for the predictions of one stream.
func (p *Predictor) Buffer() *Predictions {
	n := len(p.List)
	return &Predictions{List: make([]Prediction, n), us: make([]float64, n),
		launch: make([]device.Launch, n)}
}

// Predict writes the times of all implementations into a Buffer, without
// allocating. The statistics have passed CheckStats.
func (p *Predictor) Predict(s *collision.Stats, into *Predictions) {
	p.under.US(s, into.us, into.launch)
	var factors []float64
	if p.tree != nil {
		into.x.Fill(s, p.asked.Call)
		factors = p.factors[p.tree.Find(&into.x)]
	}
	told := -1.0 // not worked out yet
	for i, closed := range into.us {
		r, v, once := &into.List[i], p.List[i], 0.0
		switch {
		case p.asked.Call.Wide(): // whose calls prepare for themselves
		case v.OnHost():
			once = p.hostUS * float64(s.Updates)
		case v.NeedsTargets() && (into.Tell || p.asked.Calls > 1):
			if told < 0 {
				told = p.tellUS(s)
			}
			once = told
		}
		r.Closed, r.Kernels, r.Launch = closed, closed, into.launch[i]
		if factors != nil {
			r.Kernels = closed * factors[i]
		}
		r.Prepared = once / float64(p.asked.Calls)
		r.US = r.Kernels + r.Prepared
	}
}

// tellUS is the time of finding the most frequent targets.
func (p *Predictor) tellUS(s *collision.Stats) float64 {
	if p.counting == nil {
		return math.Inf(1)
	}
	var us [1]float64
	p.counting.US(s, us[:])
	return us[0] + p.Bundle.TagsUS(s)
}

// Explain returns the price of the implementation at that place of List, in the launch of its
// prediction, with its phases and bounds. Errors are those of speedup.Launches.Explain.
func (p *Predictor) Explain(s *collision.Stats, place int, l device.Launch) (speedup.Cost, error) {
	return p.under.Explain(s, place, l)
}

// Intervals completes predictions by their 90 % intervals.
func (p *Predictor) Intervals(of *Predictions) {
	for i := range of.List {
		r := &of.List[i]
		r.Low, r.High = math.NaN(), math.NaN()
		if p.asked.Call.Wide() {
			of := RowInterval(p.List[i])
			r.Low, r.High = r.US*of.Low, r.US*of.High
		} else if p.intervals != nil {
			low, high := p.intervals.Of(p.List[i])
			r.Low, r.High = r.Kernels*low+r.Prepared, r.Kernels*high+r.Prepared
		}
	}
}

// Predictors holds a Predictor for each kind of call. It is for one goroutine.
type Predictors struct {
	Device *device.Profile
	model  *Model
	list   []impl.Spec
	byCall map[device.Call]*Predictor

	call  device.Call // of the last Predict
	stats *collision.Stats
	last  *Predictions
}

// NewPredictors prepares predictions of implementations, of which the device need
// not run all for each kind of call.
func NewPredictors(list []impl.Spec, d *device.Profile, m *Model) *Predictors {
	return &Predictors{Device: d, model: m, list: list, byCall: map[device.Call]*Predictor{}}
}

// Predict prices a stream for one kind of call: see Of.
func (p *Predictors) Predict(s *collision.Stats, c device.Call) error {
	of := p.byCall[c]
	if of == nil {
		var err error
		list := speedup.Runnable(p.list, p.Device, c)
		if of, err = NewPredictor(list, p.Device, Asked{Call: c}, p.model); err != nil {
			return err
		}
		p.byCall[c] = of
	}
	p.call, p.stats, p.last = c, s, of.Buffer()
	of.Predict(s, p.last)
	return nil
}

// Of returns the prediction for an implementation on the last stream, or the reason
// for which it cannot run there.
func (p *Predictors) Of(v impl.Spec) (Prediction, error) {
	of := p.byCall[p.call]
	i := slices.Index(of.List, v)
	if i < 0 {
		return Prediction{}, speedup.Check(v, WithoutHost(p.Device), p.call)
	}
	return p.last.List[i], of.Bundle.Check(p.stats, i)
}
