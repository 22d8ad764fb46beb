package micro

import "testing"

// TestSpan: warps that run together take from the first that begins to the last that ends.
func TestSpan(t *testing.T) {
	for _, c := range []struct {
		all  []interval
		want float64
	}{
		{[]interval{{10, 25, 0}}, 15},
		{[]interval{{10, 25, 0}, {5, 12, 0}, {20, 40, 0}, {11, 13, 0}}, 35},
	} {
		if got := span(c.all); got != c.want {
			t.Errorf("%v: %v cycles, want %v", c.all, got, c.want)
		}
	}
}
