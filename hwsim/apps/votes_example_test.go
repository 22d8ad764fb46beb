package apps_test

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/apps"
)

// The centroid update of k-means, one component, three clusters: the counter
// holds the objects of each cluster, the component's space their sum.
func ExampleVotes_Run() {
	gtx580, err := device.Builtin("gtx580")
	if err != nil {
		fmt.Println(err)
		return
	}
	votes := apps.Votes{
		Device: gtx580, Blocks: 1, Threads: 64, Size: 3,
		Spaces: []device.Type{device.U32, device.F32}, Replicas: 4, Seed: 1,
	}
	r, err := votes.Run([]uint32{0, 2, 2, 0, 2, 1, 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("correct:", r.Correct)
	for k, count := range r.Sums[0] {
		fmt.Printf("cluster %d: %d objects, sum %g\n", k, count,
			math.Float32frombits(uint32(r.Sums[1][k])))
	}
	// Output:
	// correct: true
	// cluster 0: 2 objects, sum 0.25
	// cluster 1: 1 objects, sum -0.375
	// cluster 2: 4 objects, sum 1
}
