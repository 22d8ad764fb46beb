package online_test

import (
	"fmt"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/online"
)

// A program that makes the same kind of histogram again and again, and times
// each launch with two events around it.
func ExampleOnline() {
	gpu, err := device.Builtin("h200")
	if err != nil {
		fmt.Println(err)
		return
	}
	on, err := online.New(gpu, online.Options{
		Options: tuner.Options{Call: device.Call{Type: device.U32, Operand: device.One}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	pixels := make([]uint32, 1<<20)
	for i := range pixels {
		pixels[i] = uint32(i/7) % 256
	}
	stats, err := collision.Analyze(pixels, collision.Options{Bins: 256})
	if err != nil {
		fmt.Println(err)
		return
	}
	tried := map[impl.Spec]bool{}
	for range 2000 {
		l, err := on.Next("frames", &stats)
		if err != nil {
			fmt.Println(err)
			return
		}
		tried[l.Implementation] = true
		if err := on.Observe(l, launchAndTime(l.Implementation)); err != nil {
			fmt.Println(err)
			return
		}
	}
	known, err := on.Learnt("frames")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("best:", known.Best.Implementation)
	fmt.Println("others were tried:", len(tried) > 1)
	fmt.Println("lost for good, at most:", known.Bound.Epsilon)
	// Output:
	// best: private:r=4,pad=1
	// others were tried: true
	// lost for good, at most: 0.05
}

// launchAndTime stands for the caller's launch between two events, in us: four
// copies happen to be fastest here.
func launchAndTime(v impl.Spec) float64 {
	if v == (impl.Spec{Algorithm: impl.Private, Replicas: 4, Pad: 1}) {
		return 7
	}
	return 9
}
