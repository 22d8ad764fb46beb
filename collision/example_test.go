package collision_test

import (
	"fmt"

	"github.com/atomtune/atomtune/collision"
)

func ExampleAnalyze() {
	// 1,024 updates, in turn of target 0 and of one that no other update has.
	indices := make([]uint32, 1024)
	for i := 1; i < len(indices); i += 2 {
		indices[i] = uint32(i)
	}
	s, err := collision.Analyze(indices, collision.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("warp level %.2f, block level %.2f, all-thread level %.2f\n", s.WarpLevel,
		s.BlockLevel, s.AllLevel)
	fmt.Printf("%d updates of %d targets, %d of one\n", s.Updates, s.Unique, s.MaxFrequency)
	// Output:
	// warp level 0.50, block level 0.50, all-thread level 2.00
	// 1024 updates of 513 targets, 512 of one
}

func ExampleAccumulator() {
	a, err := collision.NewAccumulator(collision.Options{WarpSize: 4, BlockSize: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, chunk := range [][]uint32{{7, 7, 7}, {7, 1, 2}, {3, 4, 4}} {
		if err := a.Add(chunk); err != nil {
			fmt.Println(err)
			return
		}
	}
	s, err := a.Stats()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("warp level %.2f, %d runs of %d targets\n", s.WarpLevel, s.Runs, s.Unique)
	// Output: warp level 0.75, 5 runs of 5 targets
}
