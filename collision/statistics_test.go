package collision

import "testing"

// TestEveryStatisticHasAReference: none is 0 in the reference of every stream, as one is that
// reference_test.go does not make. What Analyze gives is compared with the reference as a whole.
func TestEveryStatisticHasAReference(t *testing.T) {
	known := map[string]bool{}
	for dist := range streams {
		s := reference(draw(dist, 1, 3000, 40_000), 32, 256, 0)
		for _, number := range Statistics() {
			value, _ := number.Value(&s)
			known[number.Name] = known[number.Name] || value != 0
		}
	}
	if len(known) < 60 {
		t.Errorf("%d statistics", len(known))
	}
	for name, some := range known {
		if !some {
			t.Errorf("%s: 0 in the reference of every stream", name)
		}
	}
}
