package tuner

import (
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// A Decision is the answer of Choose.
type Decision struct {
	Device string          `json:"device"`
	Type   device.Type     `json:"type"`
	Op     device.Op       `json:"op,omitzero"`
	Stream collision.Stats `json:"stream"`
	Choice Choice          `json:"choice"` // of Ranking[0]
	// Ranking holds all implementations that the options admit and the device
	// can run on this stream, the fastest first; equal times stand in the
	// order of the candidates.
	Ranking  []Ranked `json:"ranking"`
	Reason   string   `json:"reason"`
	Warnings []string `json:"warnings"` // empty, not nil, where there are none
}

// Choice is the implementation to use.
type Choice struct {
	Implementation variant.Variant `json:"implementation"`
	Class          string          `json:"class"`
	PredictedUS    float64         `json:"predicted_us"`
	// LowUS and HighUS bound the central 90 % of the times that training rows
	// in the same leaf, or the closed form alone, lead to expect.
	LowUS  float64 `json:"low_us"`
	HighUS float64 `json:"high_us"`
	// SpeedupOverNaive is the predicted time of naive over PredictedUS, nil
	// where the device cannot run naive.
	SpeedupOverNaive *float64 `json:"speedup_over_naive"`
}

// Ranked is one implementation of a ranking.
type Ranked struct {
	Implementation variant.Variant `json:"implementation"`
	Class          string          `json:"class"`
	PredictedUS    float64         `json:"predicted_us"`
	Binding        string          `json:"binding"` // the bound of the closed form that binds
}
