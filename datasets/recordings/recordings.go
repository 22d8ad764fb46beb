// Package recordings reads, writes and merges what was measured on a GPU:
// single readings, whole calls, and what they were measured with.
package recordings

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// Reading is one measured quantity.
type Reading struct {
	Suite string `json:"suite"`
	Name  string `json:"name"`
	// Parameters are key=value, joined by spaces, in the order that the suite
	// fixes; Suite, Name and Parameters together occur once.
	Parameters string `json:"parameters,omitempty"`
	// Value is the median of the repeats of a start; where runs were merged, the
	// median over the starts of their medians, of two starts their mean.
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	Low     float64 `json:"low"`  // least of the repeats
	High    float64 `json:"high"` // greatest of the repeats
	Repeats int     `json:"repeats"`
	// Starts is the number of separate starts of the machine, 0 where a file does not say;
	// StartSpread is (greatest - least) / Value over the medians of the starts.
	Starts      int     `json:"starts,omitempty"`
	StartSpread float64 `json:"start_spread,omitempty"`
	Kernel      string  `json:"kernel,omitempty"`
	Instruction string  `json:"instruction,omitempty"` // of the kernel's PTX
	// Launch is the shape of the timed kernel's launch, BLOCKSxTHREADS+BYTES of
	// shared memory, such as 132x1024+0; empty where none ran.
	Launch string `json:"launch,omitempty"`
	// Unroll is the number of a warp's operations in one iteration of the kernel's
	// loop; 0 if there is none.
	Unroll int `json:"unroll,omitempty"`
}

// Call is one implementation on one stream for one kind of call.
type Call struct {
	Label          string      `json:"label"` // a spec of datasets/synth, or a file's name
	Updates        uint64      `json:"updates"`
	Bins           uint64      `json:"bins"`
	Call           device.Call `json:"call"`
	Implementation impl.Spec   `json:"implementation"`
	// Origin is Measured, or Predicted where no program to measure with was
	// there (sort and segreduce without the companion).
	Origin      string  `json:"origin"`
	MedianUS    float64 `json:"median_us"` // as Value of a Reading
	MinUS       float64 `json:"min_us"`
	MaxUS       float64 `json:"max_us"`
	Repeats     int     `json:"repeats"`
	Starts      int     `json:"starts,omitempty"`
	StartSpread float64 `json:"start_spread,omitempty"`
	// Correct: the targets were those of the reference. What is predicted was not
	// compared, and is not correct.
	Correct      bool   `json:"correct"`
	device.Shape        // of the main kernel, zero where none is known
	Fixed        bool   // the launch is not that of the rule, device.Limits.Shape
	Kernel       string `json:"kernel,omitempty"`
}

// The origins of a call's times.
const (
	Measured  = "measured"
	Predicted = "predicted"
)

// Provenance is what a file was measured with; it is in the file's first
// lines, each "# key: value".
type Provenance struct {
	GPU               string // as the driver calls it
	GPUUUID           string // as the driver gives it, such as GPU-0f3a...; empty: unknown
	ComputeCapability string // "9.0"
	Driver            string
	CUDA              string // supported by the driver
	Program           string // atomprobe and its version
	Options           string // the flags that made the plan
	// SHA-256 of the jobs, their kernels and the files that they read; empty: unknown
	Plan   string
	Starts []Start
}

// Start is one start of the machine: one run of the program.
type Start struct {
	Date                        string // UTC, RFC 3339
	SMClockBefore, SMClockAfter int    // MHz, 0 unknown
	MemoryClock                 int    // MHz, 0 unknown
}

// Part is one part of the split of the streams. What is fitted or trained sees
// the streams of Fit alone; HeldOut serves to judge.
type Part string

// The parts.
const (
	Fit     Part = "fit"
	HeldOut Part = "held-out"
)

// Half returns the part to which a stream belongs, by its label alone: the last
// bit of the label's SHA-256 is 0 for Fit and 1 for HeldOut.
func Half(label string) Part {
	sum := sha256.Sum256([]byte(label))
	if sum[len(sum)-1]&1 == 0 {
		return Fit
	}
	return HeldOut
}

// ErrRecording is wrapped by every error of this package about a file's
// content. Errors name file, line and value.
var ErrRecording = errors.New("broken recording")

// ErrMerge is wrapped by errors about runs that do not belong together.
var ErrMerge = errors.New("runs cannot be merged")

// ErrOptions is wrapped by errors about runs whose options differ.
var ErrOptions = errors.New("runs of other options")

func broken(name string, line int, format string, args ...any) error {
	return fmt.Errorf("%w: %s:%d: %s", ErrRecording, name, line, fmt.Sprintf(format, args...))
}
