package scratchpad

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
)

// TestAgreement compares closed form and simulator over every operation, type
// and built-in device, with patterns that leave out single lanes, a half of the
// warp, or all lanes but one.
func TestAgreement(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	checked := 0
	for _, name := range device.Names() {
		for _, typ := range device.Types() {
			for _, o := range device.Operations() {
				both, err := open(name, o, typ)
				if errors.Is(err, device.ErrCannot) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				for range 60 {
					p := sparse(rng, both.params.Lanes)
					closed, simulated, err := both.cycles(p)
					if err != nil {
						t.Fatal(err)
					}
					if closed < both.params.Base*0.9 || math.Abs(closed-simulated) > 0.01*simulated {
						t.Fatalf("%s, %s %s, %v: closed form %v, simulated %v", name, typ, o, p, closed, simulated)
					}
					checked++
				}
			}
		}
	}
	if checked < 3000 {
		t.Errorf("only %d patterns compared", checked)
	}
}

func sparse(rng *rand.Rand, lanes int) patterns.Pattern {
	p := make(patterns.Pattern, lanes)
	patterns.Space{Words: 1 << rng.IntN(12), Kind: patterns.Kind(rng.IntN(6))}.Draw(rng, p)
	keep := rng.IntN(4)
	for l := range p {
		out := false
		switch keep {
		case 0:
			out = rng.IntN(3) == 0
		case 1:
			out = l < lanes/2
		case 2:
			out = l >= lanes/2
		}
		if out && l != lanes/4 {
			p[l] = patterns.Inactive
		}
	}
	return p
}
