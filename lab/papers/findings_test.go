package papers

import "testing"

// TestWithin: a ratio may be as much above the paper's as below it, and is never negative.
func TestWithin(t *testing.T) {
	for _, c := range []struct {
		ours, paper, factor float64
		want                bool
	}{
		{10, 10, 1, true}, {12, 10, 1.25, true}, {8.5, 10, 1.25, true}, {13, 10, 1.25, false},
		{7.5, 10, 1.25, false}, {0, 10, 1.25, false}, {-10, -10, 1.25, false},
	} {
		if got := Within(c.ours, c.paper, c.factor); got != c.want {
			t.Errorf("%v within %v of %v: %t", c.ours, c.factor, c.paper, got)
		}
	}
}
