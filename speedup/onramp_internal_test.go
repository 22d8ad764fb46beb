package speedup

import "testing"

// TestOnRamp: on a ramp the fullest bank has as many lanes as a word at least, and a word one lane at
// least; between a ramp and none both are in between.
func TestOnRamp(t *testing.T) {
	c := copies{invBanks: make([]float64, 4), ramp: []float64{6, 2, 2, 2}}
	for _, x := range []struct {
		ramp, highest, bank, degree float64
	}{{1, 3, 6, 2}, {1, 8, 8, 1}, {0, 3, 9, 5}, {0.5, 3, 7.5, 3.5}, {0.5, 8, 8.5, 3}} {
		st := &stream{ramp: x.ramp}
		if bank, degree := c.onRamp(st, 9, 5, x.highest); bank != x.bank || degree != x.degree {
			t.Errorf("ramp %v, %v lanes of a word: %v on a bank, degree %v, want %v and %v", x.ramp, x.highest,
				bank, degree, x.bank, x.degree)
		}
	}
}
