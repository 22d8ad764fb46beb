package dispatch_test

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/dispatch"
)

func Example() {
	tree, err := dispatch.Embedded("h200")
	if err != nil {
		fmt.Println(err)
		return
	}
	index := make([]uint32, 1<<20) // all on target 0
	f := dispatch.Sample(index, device.Call{Type: device.F32}, 5000)
	fmt.Printf("%d of %d counted warps meet on one target\n", f[dispatch.Top],
		dispatch.SampledWarps/dispatch.CountedEvery)
	fmt.Println("plain atomics:", tree.Choose(&f).Implementation.IsNaive())
	// Output:
	// 32 of 32 counted warps meet on one target
	// plain atomics: false
}
