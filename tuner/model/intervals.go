package model

import (
	"fmt"

	"github.com/atomtune/atomtune/variant"
)

// Intervals hold the central 90 % of measured over predicted times, by class, of calls that were
// recorded on the device.
type Intervals struct {
	Hash    string      `json:"hash"` // SHA-256 of the calls
	Streams int         `json:"streams"`
	Points  int         `json:"points"` // streams and kinds of call
	Classes [3]Interval `json:"classes"`
	// Share is the factor of the tree's corrections with which its choices keep the limits on these calls:
	// see Loss.Keeps.
	Share float64 `json:"share"`
	// What choices among the recorded calls lose, by the tree and by the closed forms alone.
	Tree       Loss `json:"tree"`
	ClosedForm Loss `json:"closed_form"`
}

// Interval is a factor on either side of a predicted time.
type Interval struct {
	Calls int     `json:"calls"` // that were recorded of the class
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Of returns the factors of an implementation's class.
func (i *Intervals) Of(v variant.Variant) (low, high float64) {
	c := i.Classes[v.Class()]
	return c.Low, c.High
}

func (i *Intervals) check() error {
	if i == nil {
		return nil
	}
	if !isHash(i.Hash) || i.Streams < 1 || i.Points < i.Streams {
		return fmt.Errorf("intervals of %d points of %d streams, hash %q", i.Points, i.Streams, i.Hash)
	}
	if !(i.Share >= 0 && i.Share <= 1) {
		return fmt.Errorf("a share of %v", i.Share)
	}
	if !i.Tree.valid() || !i.ClosedForm.valid() {
		return fmt.Errorf("losses %+v and %+v", i.Tree, i.ClosedForm)
	}
	for _, c := range i.Classes {
		if c.Calls < 0 || !(c.Low > 0 && c.Low <= c.High) || !finite(c.High) {
			return fmt.Errorf("interval %+v", c)
		}
	}
	return nil
}
