package tuner_test

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
)

// Each of a million indices adds a row of 64 floats, half of them to row 7.
func ExampleChooseStream_rows() {
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
	options := tuner.Options{Call: device.Call{Type: device.F32, Width: 64}}
	decision, err := tuner.ChooseStream(indices, 50000, h200, options)
	if err != nil {
		fmt.Println(err)
		return
	}
	last := decision.Ranking[len(decision.Ranking)-1]
	fmt.Println("first:", decision.Choice.Implementation)
	fmt.Printf("last: %s, bound by %s\n", last.Implementation, last.Binding)
	// Output:
	// first: hot:s=2
	// last: naive, bound by row
}
