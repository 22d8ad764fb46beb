// Package scratchpad compares one warp's operations on shared memory: closed form,
// simulator, worked examples and recordings.
package scratchpad

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/lab/papers/gomezluna13"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/latency"
)

// Patterns is how many random patterns are drawn by default.
const Patterns = 200_000

// Scratchpad compares, on shared memory: the closed form with the worked examples of [gomezluna13] section 2.1.2,
// the closed form's counting with the simulator's on the GeForce GTX 580, on so many random patterns, and both with
// the recordings of an H200 that no constant was fitted to. Errors wrap ErrValidate.
func Scratchpad(random int, seed uint64) (all []validate.Check, err error) {
	defer validate.Wrap(&err)
	for _, part := range []func() ([]validate.Check, error){
		examples, func() ([]validate.Check, error) { return simulated(random, seed) }, recorded,
	} {
		checks, err := part()
		if err != nil {
			return nil, err
		}
		all = append(all, checks...)
	}
	return all, nil
}

// pattern is that of a worked example of [gomezluna13] section 2.1.2.
func pattern(first []int32) []int32 {
	p := make([]int32, patterns.Lanes)
	for l := range p {
		p[l] = int32(l)
	}
	copy(p, first)
	return p
}

func examples() ([]validate.Check, error) {
	both, err := open("gtx580", device.OpAdd, device.F32)
	if err != nil {
		return nil, err
	}
	var all []validate.Check
	for _, e := range gomezluna13.Examples {
		closed, simulated, err := both.cycles(pattern(e.First))
		if err != nil {
			return nil, err
		}
		want := both.params.Base + e.Penalty
		item := func(route string) string {
			return fmt.Sprintf("gtx580, worked example %v: %s against base + %v", e.First, route, e.Penalty)
		}
		all = append(all,
			validate.AtMost(item("closed form"), math.Abs(closed-want), 0, "cycles", 1),
			validate.AtMost(item("simulated"), math.Abs(simulated-want), 1e-3, "cycles", 1))
	}
	return all, nil
}

// pair is closed form and simulator of one operation.
type pair struct {
	params latency.Params
	model  *latency.Model
	sm     *hwsim.Scratchpad
}

func open(name string, o device.Operation, t device.Type) (pair, error) {
	d, err := device.Builtin(name)
	if err != nil {
		return pair{}, err
	}
	params, err := latency.ForDevice(d, o, t)
	if err != nil {
		return pair{}, err
	}
	model, err := latency.NewModel(params)
	if err != nil {
		return pair{}, err
	}
	sm, err := hwsim.NewScratchpad(d, o, t)
	return pair{params, model, sm}, err
}

func (b pair) cycles(pattern []int32) (closed, simulated float64, err error) {
	if closed, err = b.model.Cycles(pattern); err != nil {
		return 0, 0, err
	}
	simulated, err = b.sm.Warp(pattern)
	return closed, simulated, err
}

// simulated compares closed form and simulator on the GeForce GTX 580: two countings of the same passes, whose
// lengths are those of one profile. Random patterns are uniform over 32 to 4,096 words.
func simulated(random int, seed uint64) (all []validate.Check, err error) {
	both, err := open("gtx580", device.OpAdd, device.F32)
	if err != nil {
		return nil, err
	}
	structured := patterns.Structured()
	rng := rand.New(rand.NewPCG(seed, 0))
	drawn := make(patterns.Pattern, patterns.Lanes)
	for _, set := range []struct {
		name string
		n    int
		make func(i int) patterns.Pattern
	}{
		{"structured", len(structured), func(i int) patterns.Pattern { return structured[i] }},
		{"random", random, func(int) patterns.Pattern {
			patterns.Space{Words: 32 << rng.IntN(8)}.Draw(rng, drawn)
			return drawn
		}},
	} {
		most := 0.0
		for i := range set.n {
			closed, simulated, err := both.cycles(set.make(i))
			if err != nil {
				return nil, err
			}
			most = max(most, math.Abs(closed/simulated-1))
		}
		all = append(all, validate.AtMost("gtx580, two countings of one warp's passes, closed form and simulator, "+
			set.name+" patterns: largest difference", 100*most, 1e-3, "%", set.n))
	}
	return all, nil
}
