package tuner

import (
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/quantile"
)

// TestTieBand: the band is wider than what two measurements on one start lie apart for half of all
// calls, and not so wide that it holds nearly all. Two medians of five times differ in half of the
// cases by 0.22 of the range of five, where the times are normal. Calls of one start alone show
// that: starts add to it, as the README of package h200 says.
func TestTieBand(t *testing.T) {
	const apartOfRange, repeats = 0.22, 5
	calls, err := h200.Fresh.Calls()
	if err != nil {
		t.Fatal(err)
	}
	var apart []float64
	for _, c := range calls {
		if c.Origin == recordings.Measured && c.Repeats == repeats {
			apart = append(apart, apartOfRange*(c.MaxUS-c.MinUS)/c.MedianUS)
		}
	}
	if len(apart) < 10_000 {
		t.Fatalf("only %d calls", len(apart))
	}
	slices.Sort(apart)
	half, most := quantile.Sorted(apart, 0.5), quantile.Sorted(apart, 0.9)
	if !(half > 0.01 && half < TieBand) || most < TieBand {
		t.Errorf("times of half of the calls lie within %v of each other, of nine in ten within %v; "+
			"the band is %v", half, most, TieBand)
	}
}
