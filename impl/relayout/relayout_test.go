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

// TestLabelled: warps follow the rounds of their labels, whatever lane has them, and each update
// is in one place.
func TestLabelled(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		bins, lanes := 1+rng.Uint64N(20), 1+rng.IntN(8)
		indices := make([]uint32, rng.IntN(200))
		for i := range indices {
			indices[i] = uint32(rng.Uint64N(bins))
		}
		lane := make([]int, len(indices)/lanes)
		labels := make([]uint32, len(lane))
		for w := range lane {
			lane[w] = rng.IntN(lanes)
			labels[w] = indices[w*lanes+lane[w]]
		}
		got := Labelled(indices, bins, lanes, func(warp int) int { return lane[warp] })
		want := []uint32{}
		for _, w := range rounds(labels, bins) {
			for l := range lanes {
				want = append(want, w*uint32(lanes)+uint32(l))
			}
		}
		for i := len(want); i < len(indices); i++ {
			want = append(want, uint32(i))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v in warps of %d, labelled by lanes %v: order %v, want %v", indices, lanes, lane, got,
				want)
		}
		slices.Sort(got)
		for i, place := range got {
			if place != uint32(i) {
				t.Fatalf("%v in warps of %d: update %d is lost", indices, lanes, i)
			}
		}
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
