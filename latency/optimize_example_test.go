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
