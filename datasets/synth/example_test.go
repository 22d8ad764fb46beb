package synth_test

import (
	"fmt"

	"github.com/atomtune/atomtune/datasets/synth"
)

func ExampleGenerate() {
	s, err := synth.Parse("runs:n=12,k=100,seed=1,len=4,fixed=1")
	if err != nil {
		fmt.Println(err)
		return
	}
	stream, err := synth.Generate(s)
	fmt.Println(s)
	fmt.Println(stream, err)
	// Output:
	// runs:n=12,k=100,seed=1,len=4,fixed=1
	// [56 56 56 56 74 74 74 74 97 97 97 97] <nil>
}
