package model

import (
	"math"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
)

// ClosedFormFactor is the factor on either side of a closed form's time that
// stands for its 90 % interval where no training has measured its error.
const ClosedFormFactor = 2

// A Prediction is the time of one implementation on one stream, in microseconds:
//
//	US = Kernels + Host
//	Kernels = Closed · exp(Tree(features) + Measured(features))
//
// All are +Inf where the implementation cannot run the stream.
type Prediction struct {
	US, Closed, Kernels float64
	Host                float64 // of the re-layout on the host
	Low, High           float64 // ends of the 90 % interval, once Intervals has been asked
	spread              float64 // standard deviation of the training rows in the tree's leaf
}

// A Predictor predicts the times of several implementations on one device for
// one kind of call. It is safe for concurrent use.
type Predictor struct {
	List   []variant.Variant
	Fixes  []*Implementation // corrections in the order of List; nil: the closed form alone
	Bundle *speedup.Bundle   // closed forms in the order of List, of a device with free re-layout
	call   device.Call
	hostUS []float64 // of the host, per update
}

// Predictions holds what a Predictor says of one stream. It may be used again.
type Predictions struct {
	List   []Prediction // in the order of Predictor.List
	x      Vector       // features of the stream
	closed []float64
}

// NewPredictor prepares predictions by a model, or by the closed forms alone if
// that is nil. relaid says that the updates arrive re-laid. The error is that of
// speedup.CompileAll.
func NewPredictor(list []variant.Variant, d *device.Profile, c device.Call, relaid bool,
	m *Model) (*Predictor, error) {
	closed, err := speedup.CompileAll(list, WithoutHost(d), c)
	if err != nil {
		return nil, err
	}
	p := &Predictor{List: list, Bundle: closed, call: c}
	for _, v := range list {
		host := 0.0
		if v.OnHost() && !relaid {
			host = d.Host.Relayout.Value / 1e3
		}
		p.Fixes, p.hostUS = append(p.Fixes, m.Find(v)), append(p.hostUS, host)
	}
	return p, nil
}

// BehindNaive reports whether an implementation adds to the same global targets
// as naive, and its closed form finds nothing that makes it cheaper. It is not
// ranked before naive then: what their trees differ by is noise, and naive is the
// simpler one.
func BehindNaive(v variant.Variant, closed, naiveClosed float64) bool {
	return v.AddsAtTargets() && closed >= naiveClosed
}

// WithoutHost returns the profile with free re-layout, on which trees are
// trained: the host's time is known, and is added to the corrected time of the
// kernels.
func WithoutHost(d *device.Profile) *device.Profile {
	bare := *d
	bare.Host.Relayout.Value = 0
	return &bare
}

// Buffer returns memory for the predictions of one stream.
func (p *Predictor) Buffer() *Predictions {
	return &Predictions{List: make([]Prediction, len(p.List)), closed: make([]float64, len(p.List))}
}

// Predict writes the times of all implementations into a Buffer, without
// allocating. The statistics have passed CheckStats.
func (p *Predictor) Predict(s *collision.Stats, into *Predictions) {
	into.x.Fill(s, p.call)
	updates := float64(s.Updates)
	p.Bundle.US(s, into.closed)
	for i, closed := range into.closed {
		host := float64(p.hostUS[i] * updates)
		if math.IsInf(closed, 1) {
			into.List[i] = Prediction{US: closed, Closed: closed, Kernels: closed, Host: host,
				Low: closed, High: closed}
			continue
		}
		factor, spread := p.Fixes[i].factor(&into.x, closed, 1/updates)
		kernels := float64(closed * factor)
		into.List[i] = Prediction{US: kernels + host, Closed: closed, Kernels: kernels, Host: host,
			spread: spread}
	}
}

// Intervals completes predictions by their 90 % intervals.
func (p *Predictor) Intervals(of *Predictions) {
	for i := range of.List {
		if r := &of.List[i]; !math.IsInf(r.Closed, 1) {
			low, high := p.Fixes[i].interval(r.spread)
			r.Low, r.High = Total(r.Kernels, low, r.Host), Total(r.Kernels, high, r.Host)
		}
	}
}

// factor returns the factor of the closed form, which takes so many
// microseconds, and the spread of the training rows around it.
func (m *Implementation) factor(x *Vector, closedUS, perUpdate float64) (factor, spread float64) {
	if m == nil {
		return 1, 0
	}
	x.Price(closedUS, perUpdate)
	leaf := m.Tree.Leaf(x[:])
	value := leaf.Value
	if m.Measured != nil {
		value += m.Measured.Predict(x[:])
	}
	return math.Exp(value), leaf.StdDev
}

// interval returns the factors of the prediction between which the central 90 %
// of times lie, for a stream in whose leaf the training rows have that spread:
//
//	exp(-sqrt((Low·s)² + e²)) and exp(sqrt((High·s)² + e²))
//
// with s as in Scale and e the SimulationError.
func (m *Implementation) interval(spread float64) (low, high float64) {
	switch {
	case m == nil:
		return 1.0 / ClosedFormFactor, ClosedFormFactor
	case m.MeasuredLow < m.MeasuredHigh:
		return math.Exp(m.MeasuredLow), math.Exp(m.MeasuredHigh)
	}
	s := Scale(spread, m.FamilyOut.RMSE)
	return math.Exp(-math.Hypot(min(0, m.Low*s),
		SimulationError)), math.Exp(math.Hypot(max(0, m.High*s), SimulationError))
}

// Total keeps the product rounded before the sum, so that every compiler gives
// the same bits.
func Total(closed, factor, host float64) float64 { return float64(closed*factor) + host }
