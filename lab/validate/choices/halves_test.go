package choices

import (
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
)

// TestCurveHalves: the learning curve learns from streams of the half to fit alone and is judged
// on those of the other half, which the labels part.
func TestCurveHalves(t *testing.T) {
	c, err := newCurve(h200.Archive, nil)
	if err != nil {
		t.Fatal(err)
	}
	learned := map[string]bool{}
	for _, stream := range c.learn {
		for _, p := range stream {
			learned[p.Label] = true
			if recordings.Half(p.Label) != recordings.Fit {
				t.Errorf("%s, which is held out, is learned from", p.Label)
			}
		}
	}
	for _, q := range c.judge {
		if learned[q.Label] || recordings.Half(q.Label) != recordings.HeldOut {
			t.Errorf("%s judges, and is not held out", q.Label)
		}
	}
	if len(learned) < 100 || len(c.judge) < 400 {
		t.Errorf("%d streams are learned from, %d questions judge", len(learned), len(c.judge))
	}
}
