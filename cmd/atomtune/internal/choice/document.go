// Package choice holds the document that choose prints, and prints it for people; so do analyze and report.
package choice

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner"
)

// Document is what choose prints about one stream: the decision, and what else was asked for.
type Document struct {
	tuner.Decision
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
	Planned   bool `json:"-"` // the choice is kept as a plan
}

// Read is how much of an input a choice rests on.
type Read struct {
	Percent    float64 `json:"percent"` // of the updates
	Bytes      uint64  `json:"bytes"`
	TotalBytes uint64  `json:"total_bytes"` // of the input, which a survey reads once besides
}

// ConstraintWords says the constraints in words after semicolon and commas.
func (doc *Document) ConstraintWords() string {
	c := &doc.Constraints
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
	case doc.Width > 0: // launches follow from it
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
