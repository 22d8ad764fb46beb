package variant

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTags: each slot holds the most frequent of the targets that belong there.
func TestTags(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, slots := range []int{16, 64, 1024, 65536} {
		counts := make([]uint32, 3000)
		for range 20000 {
			counts[int(float64(len(counts))*rng.Float64()*rng.Float64()*rng.Float64())]++
		}
		slotOf := func(target int) int { // by division in place of shifts
			return int(uint64(target) * 2654435761 % (1 << 32) * uint64(slots) / (1 << 32))
		}
		want := slices.Repeat([]uint32{NoTarget}, slots)
		for target := len(counts) - 1; target >= 0; target-- {
			at := &want[slotOf(target)]
			if Slot(uint32(target), slots) != slotOf(target) {
				t.Fatalf("target %d of %d slots has slot %d", target, slots, Slot(uint32(target), slots))
			}
			if counts[target] > 0 && (*at == NoTarget || counts[target] >= counts[*at]) {
				*at = uint32(target)
			}
		}
		if got := Tags(counts, slots); !slices.Equal(got, want) {
			t.Errorf("%d slots: %v, want %v", slots, got, want)
		}
	}
}
