package tuner_test

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner"
)

// The same sums must come out again, in little memory and without sorting.
func ExampleChooseStream() {
	gpu, err := device.Builtin("h200")
	if err != nil {
		fmt.Println(err)
		return
	}
	stream := make([]uint32, 1<<16) // every update on target 0 of 16
	decision, err := tuner.ChooseStream(stream, 16, gpu, tuner.Options{
		Call:          device.Call{Type: device.F32},
		Deterministic: true,
		NoSort:        true,
		MemoryBytes:   1 << 20,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range decision.Ranking {
		fmt.Println(r.Implementation, r.MemoryBytes <= 1<<20)
	}
	// Unordered output:
	// segreduce true
	// threadprivate true
}

// A stream of a million updates is launched once, and then ten million times.
func ExampleChooseSampled() {
	gpu, err := device.Builtin("gtx680")
	if err != nil {
		fmt.Println(err)
		return
	}
	stream := make([]uint32, 1<<20)
	for i := range stream {
		if i%4 == 0 {
			stream[i] = uint32(i/4) % 1000
		}
	}
	o := tuner.Options{Only: []impl.Spec{{}, {Algorithm: impl.Sort}}}
	for _, budget := range []tuner.SamplingBudget{{Calls: 1, CostUS: 1e6}, {Calls: 1e7}} {
		decision, err := tuner.ChooseSampled(stream, 1000, gpu, o, budget)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(decision.Sampling.Sampled, decision.Sampling.Updates > 0, decision.Sampling.ExpectedGainUS > decision.Sampling.CostUS)
	}
	// Output:
	// false false false
	// true true true
}
