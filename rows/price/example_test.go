package price_test

import (
	"fmt"

	"github.com/atomtune/atomtune/collision/reuse"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/rows"
	"github.com/atomtune/atomtune/rows/price"
)

// Each of a million indices adds a row of 64 floats, half of them to row 7.
func ExampleRank() {
	indices := make([]uint32, 1<<20)
	for i := range indices {
		drawn := uint32(i) * 2654435761
		if indices[i] = 7; drawn>>31 == 0 {
			indices[i] = drawn % 50000
		}
	}
	h200, err := device.Builtin("h200")
	if err != nil {
		fmt.Println(err)
		return
	}
	stats, err := reuse.Analyze(indices, 50000)
	if err != nil {
		fmt.Println(err)
		return
	}
	ranking, err := price.Rank(h200, stats, rows.Call{Kind: rows.F32, Width: 64})
	if err != nil {
		fmt.Println(err)
		return
	}
	first, last := ranking[0], ranking[len(ranking)-1]
	fmt.Println("first:", first.Implementation())
	fmt.Printf("last: %s, bound by %s\n", last.Implementation(), last.Bound)
	// Output:
	// first: hot:s=2
	// last: naive, bound by row
}
