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
	leaf                int     // place of the tree's leaf among its nodes
}

// A Predictor predicts the times of several implementations on one device for
// one kind of call. It is safe for concurrent use.
type Predictor struct {
	List   []variant.Variant
	Fixes  []*Implementation // corrections in the order of List; nil: the closed form alone
	Bundle *speedup.Bundle   // closed forms in the order of List, of a device with free re-layout
	call   device.Call
	hostUS []float64 // of the host, per update
	// factors holds exp(Tree + Measured) by the nodes of Tree, nil where Measured has comparisons.
	factors [][]float64
}

// Predictions holds what a Predictor says of one stream. It may be used again.
type Predictions struct {
	List   []Prediction // in the order of Predictor.List
	x      Vector       // features of the stream
	closed []float64
}

// NewPredictor prepares predictions by a model, or by the closed forms alone if that is nil. relaid
// says that the updates arrive re-laid. The error is that of speedup.CompileAll.
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
		fix := m.Find(v)
		p.Fixes, p.factors = append(p.Fixes, fix), append(p.factors, fix.factors())
		p.hostUS = append(p.hostUS, host)
	}
	return p, nil
}

// BehindNaive reports whether an implementation updates the same global targets as naive with a
// closed form that is no cheaper. It is not ranked before naive then: their trees differ by noise.
func BehindNaive(v variant.Variant, closed, naiveClosed float64) bool {
	return v.AddsAtTargets() && closed >= naiveClosed
}

// WithoutHost returns the profile with free re-layout, on which trees are trained. The
// host's time is added to the corrected time of the kernels.
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
		r := &into.List[i]
		r.Closed, r.Kernels, r.Host = closed, closed, float64(p.hostUS[i]*updates)
		if fix := p.Fixes[i]; fix != nil && !math.IsInf(closed, 1) {
			into.x.Price(closed, 1/updates)
			var factor float64
			factor, r.leaf = fix.factor(&into.x, p.factors[i])
			r.Kernels = float64(closed * factor)
		}
		r.US = r.Kernels + r.Host
	}
}

// Intervals completes predictions by their 90 % intervals.
func (p *Predictor) Intervals(of *Predictions) {
	for i := range of.List {
		r := &of.List[i]
		r.Low, r.High = r.Closed, r.Closed
		if !math.IsInf(r.Closed, 1) {
			low, high := p.Fixes[i].interval(r.leaf)
			r.Low, r.High = Total(r.Kernels, low, r.Host), Total(r.Kernels, high, r.Host)
		}
	}
}

func (m *Implementation) factors() (list []float64) {
	if m == nil || m.Measured != nil && m.Measured.NumLeaves() > 1 {
		return nil
	}
	for i := range m.Tree.NumNodes() {
		log := m.Tree.At(i).Value
		if m.Measured != nil {
			log += m.Measured.At(0).Value
		}
		list = append(list, math.Exp(log))
	}
	return list
}

// factor returns the factor of the closed form and the place of the tree's leaf.
func (m *Implementation) factor(x *Vector, factors []float64) (factor float64, leaf int) {
	leaf = m.Tree.Find(x[:])
	if factors != nil {
		return factors[leaf], leaf
	}
	return math.Exp(m.Tree.At(leaf).Value + m.Measured.Predict(x[:])), leaf
}

// interval returns the factors of the prediction between which the central 90 %
// of times lie, for a stream that reaches that leaf:
//
//	exp(-sqrt((Low·s)² + e²)) and exp(sqrt((High·s)² + e²))
//
// with s as in Scale for the leaf's spread and e the SimulationError.
func (m *Implementation) interval(leaf int) (low, high float64) {
	switch {
	case m == nil:
		return 1.0 / ClosedFormFactor, ClosedFormFactor
	case m.MeasuredLow < m.MeasuredHigh:
		return math.Exp(m.MeasuredLow), math.Exp(m.MeasuredHigh)
	}
	s := Scale(m.Tree.At(leaf).StdDev, m.FamilyOut.RMSE)
	return math.Exp(-math.Hypot(min(0, m.Low*s),
		SimulationError)), math.Exp(math.Hypot(max(0, m.High*s), SimulationError))
}

// Total keeps the product rounded before the sum, so that every compiler gives the same bits.
func Total(closed, factor, host float64) float64 { return float64(closed*factor) + host }
