package tuner_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
)

// A histogram of an image in which almost every pixel is black.
func ExampleChoose() {
	pixels := make([]uint32, 1<<20)
	for i := range pixels {
		if i%100 == 0 {
			pixels[i] = uint32(i/100) % 256
		}
	}
	stats, err := collision.Analyze(pixels, collision.Options{Bins: 256})
	if err != nil {
		fmt.Println(err)
		return
	}
	h200, err := device.Builtin("h200")
	if err != nil {
		fmt.Println(err)
		return
	}
	decision, err := tuner.Choose(&stats, h200, tuner.Options{
		Call: device.Call{Type: device.U32, Operand: device.One},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("class:", decision.Choice.Class)
	fmt.Println("more than 10 times as fast as naive:", *decision.Choice.SpeedupOverNaive > 10)
	// Output:
	// class: reduced-collision
	// more than 10 times as fast as naive: true
}

// The path of the command: a chooser, a source, what is measured of it, and the decision.
func Example() {
	h200, err := device.Builtin("h200")
	if err != nil {
		fmt.Println(err)
		return
	}
	chooser, err := tuner.New(h200, tuner.Options{SearchLaunch: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	src, err := datasets.Open("-", datasets.Options{Stdin: strings.NewReader("3\n1\n3\n3\n"), Format: "text"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	measured, err := chooser.Measure(context.Background(), src)
	if err != nil {
		fmt.Println(err)
		return
	}
	decision, err := chooser.Choose(measured)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(decision.Stream.Updates, "updates of", decision.Stream.Bins, "targets:", decision.Choice.Implementation)
	// Output:
	// 4 updates of 4 targets: naive
}

// A program that chooses again and again compiles its options once.
func ExampleChooser_Pick() {
	h200, err := device.Builtin("h200")
	if err != nil {
		fmt.Println(err)
		return
	}
	chooser, err := tuner.New(h200, tuner.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	stream := make([]uint32, 1<<16) // every update on target 0
	stats, err := collision.Analyze(stream, collision.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	pick, err := chooser.Pick(&stats)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("faster than naive:", pick.SpeedupOverNaive > 1)
	// Output: faster than naive: true
}
