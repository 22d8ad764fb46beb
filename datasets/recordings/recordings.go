// Package recordings reads, writes and merges what was measured on a GPU:
// single readings, whole calls, and what they were measured with.
package recordings

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// Reading is one measured quantity.
type Reading struct {
	Suite string `json:"suite"`
	Name  string `json:"name"`
	// Parameters are key=value, joined by spaces, in the order that the suite
	// fixes; Suite, Name and Parameters together occur once.
	Parameters string  `json:"parameters,omitempty"`
	Value      float64 `json:"value"` // median over all repeats
	Unit       string  `json:"unit"`
	Low        float64 `json:"low"`  // least of the repeats
	High       float64 `json:"high"` // greatest of the repeats
	Repeats    int     `json:"repeats"`
	// Starts is the number of separate starts of the machine; StartSpread is
	// (greatest - least) / Value over the medians of the starts.
	Starts      int     `json:"starts,omitempty"`
	StartSpread float64 `json:"start_spread,omitempty"`
	Kernel      string  `json:"kernel,omitempty"`
	Instruction string  `json:"instruction,omitempty"` // of the kernel's PTX
}

// Call is one implementation on one stream for one kind of call.
type Call struct {
	Label          string          `json:"label"` // a spec of datasets/synth, or a file's name
	Updates        uint64          `json:"updates"`
	Bins           uint64          `json:"bins"`
	Call           device.Call     `json:"call"`
	Implementation variant.Variant `json:"implementation"`
	// Origin is Measured, or Predicted where no program to measure with was
	// there (sort and segreduce without the companion).
	Origin          string  `json:"origin"`
	MedianUS        float64 `json:"median_us"`
	MinUS           float64 `json:"min_us"`
	MaxUS           float64 `json:"max_us"`
	Repeats         int     `json:"repeats"`
	Starts          int     `json:"starts,omitempty"`
	StartSpread     float64 `json:"start_spread,omitempty"`
	Correct         bool    `json:"correct"` // the targets were those of the reference
	Blocks, Threads uint64
	SharedBytes     uint64
	Kernel          string `json:"kernel,omitempty"`
}

// The origins of a call's times.
const (
	Measured  = "measured"
	Predicted = "predicted"
)

// Provenance is what a file was measured with; it stands in the file's first
// lines, each "# key: value".
type Provenance struct {
	GPU               string // as the driver calls it
	ComputeCapability string // "9.0"
	Driver            string
	CUDA              string // supported by the driver
	Program           string // atomprobe and its version
	Options           string // the flags that made the plan
	Starts            []Start
}

// Start is one start of the machine: one run of the program.
type Start struct {
	Date                        string // UTC, RFC 3339
	SMClockBefore, SMClockAfter int    // MHz, 0 unknown
	MemoryClock                 int    // MHz, 0 unknown
}
