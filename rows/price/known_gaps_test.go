package price

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/collision/reuse"
	"github.com/atomtune/atomtune/internal/splitmix"
	"github.com/atomtune/atomtune/rows"
)

// TestPricesKnowNoTime: a known gap. A form is priced the same for a row that is hot in one stretch alone
// and for one that is so in as many pieces of the stream throughout, where L2 holds all rows.
func TestPricesKnowNoTime(t *testing.T) {
	const pieces, length = 1024, 256
	random := splitmix.New(3)
	stretch, spread := make([]uint32, pieces*length), make([]uint32, 0, pieces*length)
	for i := range stretch {
		if i%2 == 0 || i >= len(stretch)/8 {
			stretch[i] = 1 + uint32(random.Below(1<<12-1))
		}
	}
	for i := range pieces { // each eighth piece is of the stretch
		from := i / 8
		if i%8 != 0 {
			from = pieces/8 + i - i/8 - 1
		}
		spread = append(spread, stretch[length*from:length*(from+1)]...)
	}
	d, c, same := profile(t, "h200"), rows.Call{Kind: rows.F32, Width: 128}, true
	var prices [2]map[rows.Form]float64
	for i, indices := range [][]uint32{stretch, spread} {
		s, err := reuse.Analyze(indices, 1<<12)
		if err != nil {
			t.Fatal(err)
		}
		list, err := Rank(d, s, c)
		if err != nil {
			t.Fatal(err)
		}
		prices[i] = map[rows.Form]float64{}
		for _, p := range list {
			if _, known := prices[i][p.Form]; !known {
				prices[i][p.Form] = p.US
			}
		}
	}
	for form, us := range prices[0] {
		same = same && math.Abs(prices[1][form]/us-1) < 0.01
	}
	if len(prices[0]) < 4 {
		t.Errorf("only %d forms", len(prices[0]))
	}
	if !same {
		t.Errorf("prices differ, the known gap has closed: %v", prices)
	}
}
