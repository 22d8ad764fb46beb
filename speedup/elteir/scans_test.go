package elteir

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestScansBefore counts scans one by one.
func TestScansBefore(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range [][5]float64{ // low, high, empty, full, chance
		{3441, 5357, 3116, 4608, 0},
		{3441, 5357, 3120, 5125, 0.53},
		{3441, 5357, 3152, 6769, 1},
		{20000, 21900, 1500, 4000, 0.3},
		{-500, 1400, 3100, 5000, 0.5},
	} {
		const samples = 100000
		count := 0.0
		for range samples {
			x := c[0] + (c[1]-c[0])*rng.Float64()
			for at := 0.0; at < x; count++ {
				if rng.Float64() < c[4] {
					at += c[3]
				} else {
					at += c[2]
				}
			}
		}
		if got, want := scansBefore(c[0], c[1], c[2], c[3], c[4]),
			count/samples; math.Abs(got-want) > 0.01*want {
			t.Errorf("%v: %v scans, counted %v", c, got, want)
		}
	}
}
