package papers

import (
	"math"
	"slices"
	"testing"
)

// TestRatioKinds: a ratio is met up to its kind's factor, and never from the other side of 1.
func TestRatioKinds(t *testing.T) {
	for _, c := range []struct {
		kind        RatioKind
		paper, ours float64
		want        bool
	}{
		{Average, 2, 2.5, true}, {Average, 2, 2.51, false},
		{Average, 2, 1.6, true}, {Average, 2, 1.59, false},
		{Extreme, 2, 3, true}, {Extreme, 2, 3.01, false},
		{Extreme, 3, 2, true}, {Extreme, 3, 1.99, false},
		// the side of 1
		{Average, 0.95, 1.04, false}, {Average, 1.04, 0.95, false},
		{Extreme, 0.91, 1.3, false}, {Extreme, 0.91, 0.7, true}, {Extreme, 0.7, 0.99, true},
		{Extreme, 0.99, 1.006, false}, {Extreme, 1.01, 0.994, false},
		// 1 to two decimals is neither
		{Extreme, 0.99, 1.004, true}, {Average, 1.01, 0.996, true}, {Average, 1, 1.2, true},
		{Average, 1, 0.81, true},
		// no ratio
		{Average, 2, 0, false}, {Extreme, 2, -2, false}, {Extreme, 2, math.NaN(), false},
		{Extreme, 2, math.Inf(1), false},
	} {
		if got := c.kind.Met(c.ours, c.paper); got != c.want {
			t.Errorf("kind %d: %v for %v: %v, want %v", c.kind, c.ours, c.paper, got, c.want)
		}
	}
}

// TestLossMet: each published loss is its own limit.
func TestLossMet(t *testing.T) {
	for _, c := range []struct {
		paper, ours float64
		want        bool
	}{
		{0.04, 0.05, true}, {0.04, 0.051, false}, {0.04, 12.8, false},
		{12.8, 16, true}, {12.8, 16.1, false}, {12.8, 0, true}, {9.41, 0.04, true},
		{9.41, -1, false}, {9.41, math.NaN(), false},
	} {
		if got := LossMet(c.ours, c.paper); got != c.want {
			t.Errorf("%v %% for %v %%: %v, want %v", c.ours, c.paper, got, c.want)
		}
	}
}

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

// TestImageBins: the levels of an image are spread evenly over the bins, the highest into the last.
func TestImageBins(t *testing.T) {
	m := Image{Pixels: []uint32{0, 1, 2, 3, 4, 5}, Levels: 6}
	for count, want := range map[int][]uint32{
		1: {0, 0, 0, 0, 0, 0}, 2: {0, 0, 0, 1, 1, 1}, 3: {0, 0, 1, 1, 2, 2}, 6: {0, 1, 2, 3, 4, 5},
	} {
		if got := m.Bins(count); !slices.Equal(got, want) {
			t.Errorf("%d bins: %v, want %v", count, got, want)
		}
	}
	twelve := Image{Pixels: []uint32{0, 127, 128, 4095}} // of 12 bits, by default
	if got := twelve.Bins(32); !slices.Equal(got, []uint32{0, 0, 1, 31}) {
		t.Errorf("32 bins of 12 bits: %v", got)
	}
}
