// Package validate holds what its subjects share, a package each: checks against limits, and
// known gaps. The subjects hold closed forms, simulator, models and choices against each
// other and against recordings of an NVIDIA H200.
//
// On one warp closed form and simulator count by routes of their own, but take the lengths of
// what they count from the same profile: that they agree says that both count the same.
// Recordings that no constant was fitted to say how right the lengths are.
//
// References:
//
//	[egielski14]  I. Egielski, J. Huang, E. Z. Zhang. Massive Atomics for
//	              Massive Parallelism on GPUs. ISMM 2014.
//	[gomezluna13] J. Gómez-Luna, J. M. González-Linares, J. I. Benavides,
//	              N. Guil. Performance Modeling of Atomic Additions on GPU
//	              Scratchpad Memory. IEEE TPDS 24(11), 2013.
package validate

import (
	"errors"
	"fmt"
	"math"
)

// ErrValidate is wrapped by errors that keep a comparison from being made.
var ErrValidate = errors.New("cannot be compared")

// Wrap lets an error wrap ErrValidate. Functions defer it.
func Wrap(err *error) {
	if *err != nil && !errors.Is(*err, ErrValidate) {
		*err = fmt.Errorf("%w: %w", ErrValidate, *err)
	}
}

// The statuses of a check.
const (
	Enforced = "enforced"  // the limit is to be kept
	KnownGap = "known_gap" // the limit is not kept; Reason says why
	Seen     = "seen"      // the judged may have learned from the judge: no limit binds
)

// Failed is the state of a check that keeps neither its limit nor what a known gap says.
const Failed = "failed"

// The units of figures that say how good a prediction is. Only these may be known gaps.
const (
	UnitTimes   = "times"
	UnitPercent = "%"
	UnitTau     = "tau"
)

// Check is one comparison against a limit.
type Check struct {
	Item   string  `json:"item"` // what is compared, where, by which figure
	Value  float64 `json:"value"`
	Limit  float64 `json:"limit"` // Value is at most this, or with Least no less
	Unit   string  `json:"unit"`
	Least  bool    `json:"at_least"` // the limit is a lower one
	Rows   int     `json:"rows"`     // patterns, or trials, behind the value
	Status string  `json:"status"`
	Reason string  `json:"reason"` // of a known gap, and of Seen
	failed bool    // found by Judge
}

// AtMost is an enforced check of an upper limit.
func AtMost(item string, value, limit float64, unit string, rows int) Check {
	return Check{Item: item, Value: value, Limit: limit, Unit: unit, Rows: rows, Status: Enforced}
}

// AtLeast is an enforced check of a lower limit.
func AtLeast(item string, value, limit float64, unit string, rows int) Check {
	c := AtMost(item, value, limit, unit, rows)
	c.Least = true
	return c
}

// Gap returns the check as a known gap, for a reason.
func (c Check) Gap(reason string) Check {
	c.Status, c.Reason = KnownGap, reason
	return c
}

// within reports whether the value is no worse than a limit.
func (c Check) within(limit float64) bool {
	if c.Least {
		return c.Value >= limit
	}
	return c.Value <= limit
}

// State is the status, or Failed.
func (c Check) State() string {
	if c.failed || c.Failure() != "" {
		return Failed
	}
	return c.Status
}

// Failure says what is wrong with the check, or "": an enforced limit is
// broken, a known gap has closed, or nothing was compared.
func (c Check) Failure() string {
	holds := c.within(c.Limit)
	switch {
	case c.Rows == 0:
		return fmt.Sprintf("%s: nothing was compared", c.Item)
	case c.Status != Enforced && c.Status != KnownGap && c.Status != Seen:
		return fmt.Sprintf("%s: status %q", c.Item, c.Status)
	case c.Status == KnownGap && c.Reason == "":
		return fmt.Sprintf("%s: a known gap without a reason", c.Item)
	case math.IsNaN(c.Value):
		return fmt.Sprintf("%s: no value", c.Item)
	case c.Status == Enforced && !holds:
		return fmt.Sprintf("%s: %.4g %s, limit %.4g", c.Item, c.Value, c.Unit, c.Limit)
	case c.Status == KnownGap && holds:
		return fmt.Sprintf("%s: the gap has closed: %.4g %s keeps the limit of %.4g",
			c.Item, c.Value, c.Unit, c.Limit)
	}
	return ""
}

// The limits of predicted times of choices.
const (
	ChoiceMedian = 10 // percent, of their median error
	NominalShare = 90 // percent, of measured times in the stated intervals
)
