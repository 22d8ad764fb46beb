package gomezluna13

import (
	"math"
	"slices"
	"testing"
)

// TestNaturalImage: neighbouring pixels are related as in photographs. In seven
// photographs of eight bits, 47 to 82 % of the neighbours shared one of 32 bins
// and 8 to 58 % one of 256; the correlation of six of them was 0.93 to 0.99.
func TestNaturalImage(t *testing.T) {
	for seed := range uint64(3) {
		m := NaturalImage(seed, 256, 192)
		if err := m.Validate(); err != nil || len(m.Pixels) != 256*192 {
			t.Fatalf("%d pixels, %v", len(m.Pixels), err)
		}
		few, some, many := equalNeighbours(m, 32), equalNeighbours(m, 256), equalNeighbours(m, 4096)
		if few < 0.45 || few > 0.85 || some < 0.08 || some > 0.4 || many > 0.05 {
			t.Errorf("seed %d: %.2f, %.2f and %.2f of the neighbours share one of 32, 256 and 4,096 bins",
				seed, few, some, many)
		}
		if r := correlation(m.Pixels); r < 0.8 || r > 0.99 {
			t.Errorf("seed %d: neighbours have the correlation %.3f", seed, r)
		}
		if !slices.Equal(m.Pixels, NaturalImage(seed, 256, 192).Pixels) ||
			slices.Equal(m.Pixels, NaturalImage(seed+1, 256, 192).Pixels) {
			t.Errorf("seed %d: the image is no function of the seed", seed)
		}
		if used := len(slices.Compact(slices.Sorted(slices.Values(m.Pixels)))); used < 1000 {
			t.Errorf("seed %d: %d of 4,096 levels", seed, used)
		}
	}
	if m := NaturalImage(1, 1, 1); len(m.Pixels) != 1 || m.Validate() != nil {
		t.Errorf("one pixel: %+v", m)
	}
}

func correlation(pixels []uint32) float64 {
	mean := 0.0
	for _, p := range pixels {
		mean += float64(p) / float64(len(pixels))
	}
	both, square := 0.0, 0.0
	for i := 1; i < len(pixels); i++ {
		a, b := float64(pixels[i-1])-mean, float64(pixels[i])-mean
		both += a * b
		square += b * b
	}
	return both / math.Max(square, 1)
}
