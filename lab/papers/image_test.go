package papers

import (
	"slices"
	"testing"
)

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
}
