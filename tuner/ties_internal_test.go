package tuner

import (
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/quantile"
)

// TestTieBand: the band is somewhat wider than what the times of the same call,
// measured on two starts of the program, lie apart for half of all calls.
func TestTieBand(t *testing.T) {
	calls, err := h200.Archive.Calls(recordings.Fit)
	if err != nil {
		t.Fatal(err)
	}
	var apart []float64
	for _, c := range calls {
		if c.Origin == recordings.Measured && c.Starts > 1 {
			apart = append(apart, c.StartSpread)
		}
	}
	if len(apart) < 10000 {
		t.Fatalf("only %d calls", len(apart))
	}
	slices.Sort(apart)
	half, more := quantile.Sorted(apart, 0.5), quantile.Sorted(apart, 0.65)
	if !(half > 0.02 && half < tieBand) || more < tieBand {
		t.Errorf("times of half of the calls lie within %v of each other, of 65 %% within %v; the band is %v",
			half, more, tieBand)
	}
}
