package relayout

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestWarps(t *testing.T) {
	// Warps of two stand for targets 7, 2, 7; the lane that is left stays last.
	got := Warps([]uint32{7, 0, 2, 9, 7, 7, 1}, 10, 2)
	want := []uint32{2, 3, 0, 1, 4, 5, 6}
	if !slices.Equal(got, want) {
		t.Fatalf("order %v, want %v", got, want)
	}
}

// TestAgainstRounds compares with the sets of Algorithm 3 taken literally.
func TestAgainstRounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		bins := 1 + rng.Uint64N(20)
		indices := make([]uint32, rng.IntN(100))
		for i := range indices {
			indices[i] = uint32(rng.Uint64N(bins))
		}
		before := slices.Clone(indices)
		if got, want := Order(indices, bins), rounds(indices, bins); !slices.Equal(got, want) {
			t.Fatalf("%v of %d targets: order %v, want %v", indices, bins, got, want)
		}
		if !slices.Equal(indices, before) {
			t.Fatalf("the indices were modified")
		}
	}
}

func rounds(indices []uint32, bins uint64) []uint32 {
	sets := make([][]uint32, bins)
	for i, k := range indices {
		sets[k] = append(sets[k], uint32(i))
	}
	order := []uint32{}
	for len(order) < len(indices) {
		for k := range sets {
			if len(sets[k]) > 0 {
				order = append(order, sets[k][0])
				sets[k] = sets[k][1:]
			}
		}
	}
	return order
}
