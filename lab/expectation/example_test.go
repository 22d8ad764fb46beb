package expectation_test

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/expectation"
	"github.com/atomtune/atomtune/latency"
)

// gtx580 are the parameters of [gomezluna13].
var gtx580 = latency.Params{
	Structure: latency.Structure{Mechanism: device.Lock, Lanes: 32, Banks: 32, Locks: 1024},
	Constants: latency.Constants{Base: 108, Round: 120, Bank: 32, Write: 32},
}

func ExampleOf() {
	for _, words := range []int{32, 1024} {
		e, err := expectation.Of(gtx580, latency.Votes{Words: words, Replicas: 1, Threads: 32}, expectation.Options{})
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d words: %.2f cycles in %.3f turns, bank conflict degree %.3f, %s\n",
			words, e.Cycles, e.Turns, e.BankDegree, e.Method)
	}
	// Output:
	// 32 words: 411.95 cycles in 3.533 turns, bank conflict degree 1.000, exact
	// 1024 words: 311.06 cycles in 1.392 turns, bank conflict degree 3.435, exact
}
