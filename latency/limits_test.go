package latency

import (
	"errors"
	"testing"

	"github.com/atomtune/atomtune/variant"
)

// TestLimits: each number of parameters and of layouts is taken up to the ends of its range, and no further.
func TestLimits(t *testing.T) {
	const most, words = 1 << 20, 1 << 30
	params := func(set func(p *Params)) error {
		p := gtx580
		set(&p)
		return p.Validate()
	}
	votes := func(set func(v *Votes)) error {
		v := Votes{Words: 1, Replicas: 1, Threads: 1}
		set(&v)
		return v.Validate()
	}
	for name, c := range map[string]struct {
		of          func(to int) error
		least, most int
	}{
		"lanes":   {func(to int) error { return params(func(p *Params) { p.Lanes = to }) }, 1, MaxLanes},
		"banks":   {func(to int) error { return params(func(p *Params) { p.Banks = to }) }, 1, most},
		"locks":   {func(to int) error { return params(func(p *Params) { p.Locks = to }) }, 0, most},
		"words":   {func(to int) error { return votes(func(v *Votes) { v.Words = to }) }, 1, words},
		"copies":  {func(to int) error { return votes(func(v *Votes) { v.Replicas = to }) }, 1, most},
		"threads": {func(to int) error { return votes(func(v *Votes) { v.Threads = to }) }, 1, most},
		"pad":     {func(to int) error { return votes(func(v *Votes) { v.Pad = to }) }, 0, words},
		"words of all copies": {func(to int) error { return votes(func(v *Votes) { v.Replicas, v.Words = most, to }) }, 1,
			words / most},
		"pads of all copies": {func(to int) error {
			return votes(func(v *Votes) { v.Replicas, v.Words, v.Pad = most, words/most-1, to })
		}, 0, 1},
	} {
		for to, taken := range map[int]bool{c.least: true, c.least - 1: false, c.most: true, c.most + 1: false} {
			if err := c.of(to); (err == nil) != taken || err != nil && !errors.Is(err, ErrParams) {
				t.Errorf("%s %d: %v, want it taken: %t", name, to, err, taken)
			}
		}
	}
	if votes(func(v *Votes) { v.Map = variant.Block + 1 }) == nil || params(func(p *Params) { p.StepTurn = -1 }) == nil {
		t.Error("a mapping that there is not, or a step in turn -1, is taken")
	}
}
