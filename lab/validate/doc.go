// Package validate puts closed form, simulator and measurement side by side.
// Closed form and simulator count banks, locks and turns by routes of their
// own, the one from the addresses and the other by executing stages, but take
// the same lengths from the device's profile: that they agree on one warp says
// that both count the same. How right those lengths are is said by recordings
// that no constant was fitted to, and how warps get into each other's way by
// the simulator alone. Whole calls on an H200 (kernels) are held against both, with
// the ranks that they give and what choices lose, and worst cases of thresholds
// (guarantee) against what [egielski14] promises. Choices and predicted times
// (choices) are held against the same recordings, none of which was in training. Each
// subject has a package of its own; this one holds what they share: checks against
// limits and known gaps.
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

// The statuses of a check.
const (
	Enforced = "enforced"  // the limit is to be kept
	KnownGap = "known_gap" // the limit is not kept; Reason says why
	Seen     = "seen"      // what is judged may have learned from what judges it, so that no limit binds
)

// Check is one comparison against a limit.
type Check struct {
	Item   string  `json:"item"` // what is compared, where, by which figure
	Value  float64 `json:"value"`
	Limit  float64 `json:"limit"` // Value is at most this, or with AtLeast no less
	Unit   string  `json:"unit"`
	Least  bool    `json:"at_least"` // the limit is a lower one
	Rows   int     `json:"rows"`     // patterns, or trials, behind the value
	Status string  `json:"status"`
	Reason string  `json:"reason"` // of a known gap, and of Seen
}

// Holds reports whether the value keeps the limit.
func (c Check) Holds() bool {
	if c.Least {
		return c.Value >= c.Limit
	}
	return c.Value <= c.Limit
}

// Failure says what is wrong with the check, or "": an enforced limit is
// broken, a known gap has closed, or nothing was compared.
func (c Check) Failure() string {
	switch {
	case c.Rows == 0:
		return fmt.Sprintf("%s: nothing was compared", c.Item)
	case c.Status != Enforced && c.Status != KnownGap && c.Status != Seen:
		return fmt.Sprintf("%s: status %q", c.Item, c.Status)
	case c.Status == KnownGap && c.Reason == "":
		return fmt.Sprintf("%s: a known gap without a reason", c.Item)
	case math.IsNaN(c.Value):
		return fmt.Sprintf("%s: no value", c.Item)
	case c.Status == Enforced && !c.Holds():
		return fmt.Sprintf("%s: %.4g %s, limit %.4g", c.Item, c.Value, c.Unit, c.Limit)
	case c.Status == KnownGap && c.Holds():
		return fmt.Sprintf("%s: the gap has closed: %.4g %s keeps the limit of %.4g", c.Item, c.Value, c.Unit, c.Limit)
	}
	return ""
}

// The units of ratios and of shares.
const (
	UnitTimes   = "times"
	UnitPercent = "%"
)

// The limits of predicted times of choices.
const (
	ChoiceMedian = 10 // percent, of their median error
	NominalShare = 90 // percent, of measured times in the stated intervals
)
