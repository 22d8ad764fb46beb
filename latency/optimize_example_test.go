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
	// Output:
	// 8 copies, padded by 0
}
