package calibration

import (
	"fmt"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// CallError is the fault of one recorded call. It wraps ErrRows.
type CallError struct {
	Index int // of the call
	Fault string
}

// Error says what is wrong with the call.
func (e *CallError) Error() string { return e.Fault }

// Unwrap returns ErrRows.
func (e *CallError) Unwrap() error { return model.ErrRows }

// StreamError is the fault of the statistics of one stream.
type StreamError struct {
	Label string
	Fault error // of Calibrate, wraps ErrStats
}

// Error says what is wrong with the statistics.
func (e *StreamError) Error() string { return e.Fault.Error() }

// Unwrap returns the fault.
func (e *StreamError) Unwrap() error { return e.Fault }

// MeasuredPoints puts recorded calls together to points, in the order of their
// first call. Calls that were predicted or had wrong results are passed over and
// counted. The error is a *CallError where a call's stream is not among the
// streams, or is another.
func MeasuredPoints(calls []recordings.Call, streams []recordings.Stream) (points []Measured, passed int, err error) {
	byLabel := make(map[string]*recordings.Stream, len(streams))
	for i := range streams {
		byLabel[streams[i].Label] = &streams[i]
	}
	type key struct {
		label string
		call  device.Call
	}
	place := map[key]int{}
	for i := range calls {
		c := &calls[i]
		if c.Origin != recordings.Measured || !c.Correct {
			passed++
			continue
		}
		s := byLabel[c.Label]
		if s == nil {
			return nil, 0, &CallError{i, fmt.Sprintf("no statistics of stream %s", c.Label)}
		}
		if s.Stats.Updates != c.Updates || s.Stats.Bins != c.Bins {
			return nil, 0, &CallError{i, fmt.Sprintf("%d updates of %d targets, the statistics of stream %s are of %d of %d",
				c.Updates, c.Bins, c.Label, s.Stats.Updates, s.Stats.Bins)}
		}
		k := key{c.Label, c.Call}
		at, ok := place[k]
		if !ok {
			at = len(points)
			place[k] = at
			points = append(points, Measured{Label: c.Label, Stats: s.Stats, Call: c.Call, US: map[variant.Variant]float64{}})
		}
		points[at].US[c.Implementation] = c.MedianUS
	}
	return points, passed, nil
}
