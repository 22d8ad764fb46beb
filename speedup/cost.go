package speedup

import "errors"

// The errors of this package; a device that cannot run an implementation gives
// one that wraps device.ErrCannot.
var (
	// ErrStats: the statistics are of no stream, or of warps of another size
	// than the device's.
	ErrStats = errors.New("unusable statistics")
	// ErrNotGrouped: segreduce needs each target in one contiguous stretch.
	ErrNotGrouped = errors.New("the stream is not grouped")
	// ErrReturns: the implementation cannot give each update its old value.
	ErrReturns = errors.New("no old values")
)

// Bound is the time that one part of the device needs for a phase.
type Bound struct {
	Name    string  `json:"name"`
	US      float64 `json:"us"`
	Formula string  `json:"formula"`
}

// Phase is one stretch of a call. Its bounds overlap: US is their maximum.
type Phase struct {
	Name    string  `json:"name"`
	US      float64 `json:"us"`
	Binding string  `json:"binding"` // name of the largest bound
	Bounds  []Bound `json:"bounds"`  // those above zero, largest first
}

// Cost is the predicted time of one call.
type Cost struct {
	US      float64 `json:"us"`      // the sum over the phases
	Binding string  `json:"binding"` // the largest bound of the longest phase
	Bounds  []Bound `json:"bounds"`  // the bounds of the longest phase, largest first
	Phases  []Phase `json:"phases"`  // in the order in which they run
}
