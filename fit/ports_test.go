package fit

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
)

// TestBusiest: of each degree the reading of most warps serves, unless it has less than half the
// warps of another degree's, as where more do not fit into shared memory.
func TestBusiest(t *testing.T) {
	var rows []recordings.Reading
	for degree, most := range map[int]int{1: 32, 2: 16, 4: 8} {
		for warps := 1; warps <= most; warps *= 2 {
			rows = append(rows, recordings.Reading{Suite: "shared", Name: "throughput", Value: 1, Unit: "cycle",
				Parameters: fmt.Sprintf("op=f64_add conflict=bank degree=%d warps=%d", degree, warps)})
		}
	}
	l, err := newLookup(rows)
	if err != nil {
		t.Fatal(err)
	}
	warps := map[float64]float64{}
	for _, r := range busiest(l.rows("shared", "throughput", "op=f64_add")) {
		warps[r.number("degree")] = r.number("warps")
	}
	if len(warps) != 2 || warps[1] != 32 || warps[2] != 16 {
		t.Errorf("warps by degree: %v", warps)
	}
}
