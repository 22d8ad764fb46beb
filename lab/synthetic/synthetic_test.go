package synthetic

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestNoise: the noise has the standard deviation that it says about 1, and none without any.
func TestNoise(t *testing.T) {
	const n, relative = 20_000, 0.02
	rng, sum, squares := rand.New(rand.NewPCG(1, 2)), 0.0, 0.0
	for range n {
		off := Noise{Relative: relative}.factor(rng) - 1
		sum, squares = sum+off, squares+off*off
		if f := (Noise{}).factor(rng); f != 1 {
			t.Fatalf("factor %v without noise", f)
		}
	}
	if mean, deviation := sum/n, math.Sqrt(squares/n); math.Abs(mean) > 0.001 ||
		math.Abs(deviation/relative-1) > 0.03 {
		t.Errorf("mean %v, standard deviation %v, want %v", mean, deviation, relative)
	}
}
