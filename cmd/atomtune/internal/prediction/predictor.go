// Package prediction predicts and simulates one warp's operations on shared
// memory, and draws round by round which lanes read, write and wait.
package prediction

import (
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/latency"
)

// Predictor predicts the patterns of one operation.
type Predictor struct {
	Params  latency.Params
	model   *latency.Model
	sm      *hwsim.Scratchpad // nil where nothing is simulated
	explain bool
}

// NewPredictor returns the predictor of an operation on words of a type, which
// explains its predictions and simulates them if told to.
func NewPredictor(d *device.Profile, o device.Operation, t device.Type, explain, simulate bool) (*Predictor, error) {
	params, err := latency.ForDevice(d, o, t)
	if err != nil {
		return nil, err
	}
	p := &Predictor{Params: params, explain: explain}
	if p.model, err = latency.NewModel(params); err != nil {
		return nil, err
	}
	if simulate {
		p.sm, err = hwsim.NewScratchpad(d, o, t)
	}
	return p, err
}

func (p *Predictor) Predict(pattern patterns.Pattern) (doc Prediction, err error) {
	doc.pattern = pattern
	if p.explain {
		explained, err := latency.Warp(pattern, p.Params)
		if err != nil {
			return doc, err
		}
		doc.explain(explained, p.Params)
	} else if doc.Cycles, err = p.model.Cycles(pattern); err != nil {
		return doc, err
	}
	if p.sm != nil {
		simulated, err := p.sm.Warp(pattern)
		if err != nil {
			return doc, err
		}
		doc.SimulatedCycles = &simulated
	}
	return doc, nil
}
