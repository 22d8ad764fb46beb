package choices

import (
	"sync"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
)

var otherOnce = sync.OnceValues(otherReport)

// TestOther: choices on another GPU are judged by both halves and by a validation set, by many
// calls, and lose no more than what a neighbour's threshold would be worth.
func TestOther(t *testing.T) {
	golden.OnlyFull(t)
	r, err := otherOnce()
	if err != nil {
		t.Fatal(err)
	}
	for name, questions := range map[string]int{heldOutPart: 900, "fresh validation set": 600} {
		p := partOf(t, r, name)
		careful := p.Rules[2].Loss
		if loss := p.Rules[0].Loss; p.Questions < questions ||
			loss.GeometricMean-1 > (careful.GeometricMean-1)/3 {
			t.Errorf("%s: %d choices lose %v, a careful ladder %v", name, p.Questions, loss, careful)
		}
	}
	if len(r.Checks) < 20 || len(r.Launches) != 2 {
		t.Errorf("%d limits, %d sets of launches", len(r.Checks), len(r.Launches))
	}
}
