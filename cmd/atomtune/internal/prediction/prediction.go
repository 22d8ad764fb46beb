// Package prediction predicts and simulates one warp's operations on shared
// memory, and draws round by round which lanes read, write and wait.
package prediction

import (
	"bytes"
	"strconv"
	"strings"

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
func NewPredictor(d *device.Profile, o device.Operation, t device.Type,
	explain, simulate bool) (*Predictor, error) {
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

// Document is what latency prints.
type Document struct {
	Device      string           `json:"device"`
	Type        device.Type      `json:"type"`
	Operation   device.Operation `json:"operation"`
	Space       string           `json:"space"`
	Predictions []Prediction     `json:"predictions"` // in the order of the file
	Params      latency.Params   `json:"-"`
	Profile     *device.Profile  `json:"-"` // for its title
}

// Prediction is the latency of one pattern. Terms and Rounds are there
// with --explain, SimulatedCycles with --simulate.
type Prediction struct {
	Cycles          float64         `json:"cycles"`
	SimulatedCycles *float64        `json:"simulated_cycles,omitempty"`
	Terms           []termDocument  `json:"terms,omitzero"`
	Rounds          []roundDocument `json:"rounds,omitzero"`
	pattern         patterns.Pattern
}

// termDocument is one part of a latency.
type termDocument struct {
	Name   string  `json:"name"`
	Count  float64 `json:"count"`
	Cycles float64 `json:"cycles"` // of all together
}

// roundDocument is one turn of an operation. Locks and Waits are there where
// the operation is a loop.
type roundDocument struct {
	Pending     []int   `json:"pending"` // lanes
	Winners     []int   `json:"winners"` // lanes
	Locks       []int32 `json:"locks,omitempty"`
	ReadPasses  int     `json:"read_passes"`
	WritePasses int     `json:"write_passes"`
	Cycles      float64 `json:"cycles"`
	Waits       []wait  `json:"waits,omitempty"`
}

// explain enters a prediction with its terms and rounds.
func (doc *Prediction) explain(p latency.Prediction, params latency.Params) {
	doc.Cycles = p.Cycles
	doc.Terms, doc.Rounds = []termDocument{}, []roundDocument{}
	for _, t := range p.Terms {
		if t.Cycles != 0 { // the others cost nothing on this device
			doc.Terms = append(doc.Terms, termDocument(t))
		}
	}
	for _, r := range p.Rounds {
		round := roundDocument{Pending: r.Pending, Winners: r.Winners,
			ReadPasses: r.ReadPasses, WritePasses: r.WritePasses, Cycles: r.Cycles}
		if params.Loops() {
			c := conflicts{params.Structure, doc.pattern}
			for _, l := range r.Winners {
				round.Locks = append(round.Locks, c.lock(l))
			}
			round.Waits = c.waits(r.Pending, r.Winners)
		}
		doc.Rounds = append(doc.Rounds, round)
	}
}

// PrintCycles prints the cycles of each pattern on a line of its own, and
// behind a tab what the simulation took.
func PrintCycles(w *bytes.Buffer, doc Document) {
	for _, p := range doc.Predictions {
		w.WriteString(Plain(p.Cycles))
		if p.SimulatedCycles != nil {
			w.WriteString("\t" + simulated(*p.SimulatedCycles))
		}
		w.WriteByte('\n')
	}
}

// Plain prints cycles with as many decimals as they need, six at most.
func Plain(cycles float64) string { return decimals(cycles, 6) }

// simulated prints cycles that the simulator counts in fractions of 1/1,024.
func simulated(cycles float64) string { return decimals(cycles, 2) }

func decimals(x float64, most int) string {
	text := strconv.FormatFloat(x, 'f', most, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
