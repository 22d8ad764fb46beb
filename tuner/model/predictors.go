package model

import (
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
)

// Ranked lists the implementations that a choice ranks on the device and that its tree is trained for.
func Ranked(d *device.Profile) []variant.Variant {
	return variant.Ranked(d.Exchange.HasMatch.Value)
}

// Predictors holds a Predictor for each kind of call. It is for one goroutine.
type Predictors struct {
	Device *device.Profile
	model  *Model
	list   []variant.Variant
	byCall map[device.Call]*Predictor

	call  device.Call // of the last Predict
	stats *collision.Stats
	last  *Predictions
}

// NewPredictors prepares predictions of implementations, of which the device need
// not run all for each kind of call.
func NewPredictors(list []variant.Variant, d *device.Profile, m *Model) *Predictors {
	return &Predictors{Device: d, model: m, list: list, byCall: map[device.Call]*Predictor{}}
}

// Predict prices a stream for one kind of call: see Of.
func (p *Predictors) Predict(s *collision.Stats, c device.Call) error {
	of := p.byCall[c]
	if of == nil {
		var err error
		list := speedup.Runnable(p.list, p.Device, c)
		if of, err = NewPredictor(list, p.Device, c, false, nil, p.model); err != nil {
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
func (p *Predictors) Of(v variant.Variant) (Prediction, error) {
	of := p.byCall[p.call]
	i := slices.Index(of.List, v)
	if i < 0 {
		return Prediction{}, speedup.Check(v, WithoutHost(p.Device), p.call)
	}
	return p.last.List[i], of.Bundle.Check(p.stats, i)
}
