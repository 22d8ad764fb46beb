// Package prediction predicts one warp's operations on shared memory, beside what a simulator says
// of them, and draws round by round which lanes read, write and wait.
package prediction

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// Document is what latency prints.
type Document struct {
	Device      string           `json:"device"`
	Type        device.Type      `json:"type"`
	Operation   device.Operation `json:"operation"`
	Space       string           `json:"space"`
	Predictions []Prediction     `json:"predictions"` // in the order of the file
	Warnings    []string         `json:"warnings,omitempty"`
	params      latency.Params
	profile     *device.Profile // for its title
	model       *latency.Model
	simulator   Simulator
}

type Simulator interface {
	Warp(pattern patterns.Pattern) (float64, error)
}

// New prepares predictions of an operation on words of a type; the simulator may be nil.
func New(d *device.Profile, o device.Operation, t device.Type, s Simulator) (*Document, error) {
	params, err := latency.ForDevice(d, o, t)
	if err != nil {
		return nil, err
	}
	doc := &Document{Device: d.Name, Type: t, Operation: o, Space: "shared",
		Predictions: []Prediction{}, params: params, profile: d, simulator: s}
	doc.model, err = latency.NewModel(params)
	return doc, err
}

// Predict adds the prediction of a pattern, with its terms and rounds if told to explain.
func (doc *Document) Predict(pattern patterns.Pattern, explain bool) (err error) {
	p := Prediction{pattern: pattern}
	if explain {
		explained, err := latency.Warp(pattern, doc.params)
		if err != nil {
			return err
		}
		p.explain(explained, doc.params)
	} else if p.Cycles, err = doc.model.Cycles(pattern); err != nil {
		return err
	}
	if doc.simulator != nil {
		simulated, err := doc.simulator.Warp(pattern)
		if err != nil {
			return err
		}
		p.SimulatedCycles = &simulated
	}
	doc.Predictions = append(doc.Predictions, p)
	return nil
}

// Prediction is the latency of one pattern; --explain and --simulate fill what is optional.
type Prediction struct {
	Cycles          float64        `json:"cycles"`
	SimulatedCycles *float64       `json:"simulated_cycles,omitempty"`
	Terms           []latency.Term `json:"terms,omitzero"`
	Rounds          []Round        `json:"rounds,omitzero"`
	pattern         patterns.Pattern
}

// Round is one iteration of an operation; loops have Locks and Waits.
type Round struct {
	Pending     []int   `json:"pending"` // lanes
	Winners     []int   `json:"winners"` // lanes
	Locks       []int32 `json:"locks,omitempty"`
	ReadPasses  int     `json:"read_passes"`
	WritePasses int     `json:"write_passes"`
	Cycles      float64 `json:"cycles"`
	Waits       []Wait  `json:"waits,omitempty"`
}

func (doc *Prediction) explain(p latency.Prediction, params latency.Params) {
	doc.Cycles = p.Cycles
	doc.Terms, doc.Rounds = []latency.Term{}, []Round{}
	for _, t := range p.Terms {
		if t.Cycles != 0 { // the others cost nothing on this device
			doc.Terms = append(doc.Terms, t)
		}
	}
	for _, r := range p.Rounds {
		round := Round{Pending: r.Pending, Winners: r.Winners,
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

// PrintCycles prints a line for each pattern, behind a tab what the simulation took.
func (doc *Document) PrintCycles(w io.Writer) {
	for _, p := range doc.Predictions {
		text := Plain(p.Cycles)
		if p.SimulatedCycles != nil {
			text += "\t" + decimals(*p.SimulatedCycles, 2)
		}
		fmt.Fprintln(w, text)
	}
}

// Plain prints cycles with as many decimals as they need, six at most.
func Plain(cycles float64) string { return decimals(cycles, 6) }

func decimals(x float64, most int) string {
	text := strconv.FormatFloat(x, 'f', most, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
