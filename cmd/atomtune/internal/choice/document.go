// Package choice holds the document that choose prints, and prints it for people.
package choice

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner"
)

// Document is what choose prints about one stream: the decision, of which device,
// type, operation and stream stand before the others and say more.
type Document struct {
	Device string `json:"device"`
	Call
	Constraints Constraints          `json:"constraints"`
	Stream      input.StreamDocument `json:"stream"`
	Answer
	// Read is how much of the input a choice rests on that was sampled until it was settled.
	Read      *Read      `json:"read,omitempty"`
	Simulated *Simulated `json:"simulated,omitempty"`
	// Code is the CUDA code of the choice; none where there is no kernel for it.
	Code []string `json:"code"`
	// Legend says what bindings mean, where choose was told to explain.
	Legend  map[string]string `json:"legend,omitempty"`
	Profile *device.Profile   `json:"-"`
	// All has Print write everything, ByDefault says that nobody named the device.
	All       bool `json:"-"`
	ByDefault bool `json:"-"`
}

// NewDocument returns the document of a decision that is to come.
func NewDocument(d *device.Profile, o tuner.Options) Document {
	return Document{Device: d.Name, Call: NewCall(o.Call), Constraints: NewConstraints(o), Profile: d}
}

// Answer lies a level deeper than Call, whose fields go before those of its own.
type Answer struct{ tuner.Decision }

// Read is how much of an input a choice rests on.
type Read struct {
	Percent    float64 `json:"percent"` // of the updates
	Bytes      uint64  `json:"bytes"`
	TotalBytes uint64  `json:"total_bytes"` // of the input, which a survey reads once besides
}

// Call is a device.Call in the order of the documents.
type Call struct {
	Type      device.Type    `json:"type"`
	Value     device.Operand `json:"value"`
	ValueType string         `json:"value_type,omitempty"` // of rows
	Width     uint64         `json:"width,omitempty"`      // of the row that each update adds
	Op        device.Op      `json:"op,omitzero"`
	Returns   bool           `json:"returns"`
	Clear     bool           `json:"clear"`
	of        device.Call
}

// NewCall returns the document of a call.
func NewCall(c device.Call) Call {
	doc := Call{Type: c.Type, Value: c.Operand, Width: c.Width, Op: c.Op, Returns: c.Returns,
		Clear: !c.Keeps, of: c}
	if c.Wide() {
		doc.ValueType = c.ValueType().String()
	}
	return doc
}

// Device returns the call of a document.
func (c Call) Device() device.Call { return c.of }

// String says in words what each update does.
func (c Call) String() string { return c.of.Words() }

// Constraints are what choose was told beside stream, device and call.
type Constraints struct {
	Relaid        bool    `json:"relaid"`
	Deterministic bool    `json:"deterministic"`
	NoSort        bool    `json:"no_sort"`
	Cautious      bool    `json:"cautious"`
	Calls         int     `json:"calls"` // with the same indices
	SearchLaunch  bool    `json:"search_launch"`
	Launch        *string `json:"launch"`       // or a range; null: by the rule, or searched
	MemoryBytes   *uint64 `json:"memory_bytes"` // beside stream and targets; null: any
	wide          bool    // launches follow from the width
}

// NewConstraints returns what options ask for.
func NewConstraints(o tuner.Options) Constraints {
	c := Constraints{Relaid: o.Relaid, Deterministic: o.Deterministic, NoSort: o.NoSort,
		Cautious: o.Cautious, Calls: max(1, o.Calls), SearchLaunch: o.Searches(), wide: o.Call.Wide()}
	switch o.MemoryBytes {
	case 0:
	case 1: // the options' word for none
		c.MemoryBytes = new(uint64)
	default:
		c.MemoryBytes = &o.MemoryBytes
	}
	return c
}

// String says the constraints in words after semicolon and commas.
func (c Constraints) String() string {
	text, separator := "", "; "
	add := func(given bool, words string) {
		if given {
			text, separator = text+separator+words, ", "
		}
	}
	add(c.Relaid, "re-laid updates")
	add(c.Deterministic, "deterministic")
	add(c.NoSort, "no sorting")
	add(c.Cautious, "cautious")
	add(c.Calls > 1, report.Count(uint64(c.Calls))+" calls")
	switch {
	case c.wide:
	case c.Launch == nil:
		add(!c.SearchLaunch, "launches by the rule")
	case c.SearchLaunch:
		add(true, "launches searched among "+*c.Launch)
	default:
		add(true, "launch "+*c.Launch)
	}
	if c.MemoryBytes != nil {
		add(true, "at most "+report.Count(*c.MemoryBytes)+" bytes of device memory")
	}
	return text
}

// Simulated is the simulated time of a choice.
type Simulated struct {
	US        float64 `json:"us"`
	Estimated bool    `json:"estimated"` // from samples of the stream
}

// Print writes the time, if there is one.
func (s *Simulated) Print(p *report.Page) {
	if s == nil {
		return
	}
	how := ""
	if s.Estimated {
		how = ", estimated from samples"
	}
	p.Field("simulated", "%s us%s", report.Number(s.US), how)
}

// Against returns a warning where the time is outside the interval of the predicted one.
func (s *Simulated) Against(implementation fmt.Stringer, low, high float64) []string {
	if low <= s.US && s.US <= high {
		return nil
	}
	return []string{fmt.Sprintf("%s takes %s us in the simulation but %s to %s us in the prediction: one of "+
		"them is wrong for this stream", implementation, report.Number(s.US), report.Number(low), report.Number(high))}
}
