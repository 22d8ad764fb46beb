package latency

import "testing"

// TestParamsRanges: each number is taken up to the ends of its range, and no further.
func TestParamsRanges(t *testing.T) {
	for name, c := range map[string]struct {
		set         func(p *Params, to int)
		least, most int
	}{
		"lanes": {func(p *Params, to int) { p.Lanes = to }, 1, MaxLanes},
		"banks": {func(p *Params, to int) { p.Banks = to }, 1, 1 << 20},
		"locks": {func(p *Params, to int) { p.Locks = to }, 0, 1 << 20},
	} {
		for to, want := range map[int]bool{c.least: true, c.least - 1: false, c.most: true, c.most + 1: false} {
			p := gtx580
			c.set(&p, to)
			if err := p.Validate(); (err == nil) != want {
				t.Errorf("%s %d: %v, want it taken: %t", name, to, err, want)
			}
		}
	}
	step := gtx580
	if step.StepTurn = -1; step.Validate() == nil {
		t.Error("a step in turn -1 is taken")
	}
}
