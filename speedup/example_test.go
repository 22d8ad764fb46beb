package speedup_test

import (
	"fmt"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/speedup"
)

func ExamplePredict() {
	h200, err := device.Builtin("h200")
	if err != nil {
		panic(err)
	}
	// Every one of 2^24 updates meets the same target.
	hot := collision.Stats{
		Updates: 1 << 24, Bins: 1, Unique: 1, WarpSize: 32, BlockSize: 256,
		WarpLevel: 1, BlockLevel: 1, AllLevel: 1 << 24, DistinctPerWarp: 1, DistinctPerBlock: 1,
		ClusteredFraction: 31.0 / 32, Runs: 1, MaxFrequency: 1 << 24,
		MaxChunkFrequency4: 1 << 24, MaxChunkFrequency8: 1 << 24,
		SectorsPerWarp4: 1, SectorsPerWarp8: 1, SectorPassesPerWarp4: 32, SectorPassesPerWarp8: 32, BankDegree: 1, BankLanes: 32,
	}
	for _, name := range []string{"naive", "match"} {
		v, err := impl.Parse(name)
		if err != nil {
			panic(err)
		}
		cost, err := speedup.Predict(v, &hot, h200, device.Call{Type: device.F32})
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: bound by %s\n", v, cost.Bottleneck)
	}
	// Output:
	// naive: bound by address
	// match: bound by address
}
