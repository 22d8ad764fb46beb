package latency_test

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// gtx580 are the parameters of [gomezluna13].
var gtx580 = latency.Params{
	Structure: latency.Structure{Mechanism: device.Lock, Lanes: 32, Banks: 32, Locks: 1024},
	Constants: latency.Constants{Base: 108, Round: 120, Bank: 32, Write: 32},
}

func ExampleParams_Expected() {
	for _, words := range []int{32, 1024} {
		e, err := gtx580.Expected(latency.Votes{Words: words, Replicas: 1, Threads: 32}, latency.ExpectOptions{})
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

func ExampleParams_Optimize() {
	best, err := gtx580.Optimize(latency.OptimizeOptions{Words: 128, Threads: 1024, SharedWords: 12288, Samples: 4096, Seed: 1})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d copies, padded by %d\n", best.Best.Replicas, best.Best.Pad)
	fmt.Println(best.Reason)
	// Output:
	// 8 copies, padded by 0
	// 8 copies, cyclic, take 303.3 cycles instead of 376.7: position and lock conflicts go from 2.24 turns to 1.32, bank conflicts from 3.75 further passes to 4.90. Of the others, 16 copies, cyclic and padded by 1, 304.2 (1.32 turns, 4.95 further bank passes; its 2063 words share 1024 locks, where position conflicts turn into lock conflicts), padding by 1 303.8 (1.32 turns, 4.90 further bank passes) and block mapping 376.7 (2.24 turns, 3.75 further bank passes).
}
