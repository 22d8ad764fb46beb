package tuner_test

import (
	"fmt"

	"github.com/atomtune/atomtune/collision"
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
