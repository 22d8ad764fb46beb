package main

import (
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/latency"
)

// predictor predicts the patterns of one operation.
type predictor struct {
	params  latency.Params
	model   *latency.Model
	sm      *hwsim.Scratchpad // nil where nothing is simulated
	explain bool
}

// newPredictor returns the predictor of an operation on words of a type, which
// explains its predictions and simulates them if told to.
func newPredictor(d *device.Profile, o device.Operation, t device.Type, explain, simulate bool) (*predictor, error) {
	params, err := latency.ForDevice(d, o, t)
	if err != nil {
		return nil, err
	}
	p := &predictor{params: params, explain: explain}
	if p.model, err = latency.NewModel(params); err != nil {
		return nil, err
	}
	if simulate {
		p.sm, err = hwsim.NewScratchpad(d, o, t)
	}
	return p, err
}

func (p *predictor) predict(pattern patterns.Pattern) (doc Prediction, err error) {
	doc.pattern = pattern
	if p.explain {
		explained, err := latency.Warp(pattern, p.params)
		if err != nil {
			return doc, err
		}
		doc.explain(explained, p.params)
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
