// Package scratchpad compares one warp's operations on shared memory: closed form,
// simulator, worked examples, recordings and a fit of known constants.
package scratchpad

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/fit"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/latency"
)

// Options say how much is compared.
type Options struct {
	Random   int    // random patterns on the GeForce GTX 580; 0 for 1,000,000
	Seed     uint64 // of those patterns
	Progress func(done float64)
}

// Scratchpad compares, on shared memory: the closed form with the worked
// examples of [gomezluna13] section 2.1.2, the closed form with the simulator
// on the GeForce GTX 580, and both with the recordings of an H200 that no
// constant was fitted to. Errors wrap ErrValidate.
func Scratchpad(o Options) ([]validate.Check, error) {
	if o.Random == 0 {
		o.Random = 1_000_000
	}
	if o.Random < 1 {
		return nil, fmt.Errorf("%w: %d random patterns", validate.ErrValidate, o.Random)
	}
	if o.Progress == nil {
		o.Progress = func(float64) {}
	}
	var all []validate.Check
	for _, part := range []func(Options) ([]validate.Check, error){examples, simulated, recorded, recovered, recoveredH200} {
		checks, err := part(o)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", validate.ErrValidate, err)
		}
		all = append(all, checks...)
	}
	o.Progress(1)
	return all, nil
}

// example is a worked example of [gomezluna13] section 2.1.2: lanes 0 to 31 on
// words 0 to 31 but for the first few.
type example struct {
	first   []int32
	penalty float64 // over the base, with a short bank conflict at 2·t_bank
}

var workedExamples = []example{
	{[]int32{0, 1024}, 152},
	{[]int32{0, 32}, 64},
	{[]int32{0, 1024, 2048}, 336},
	{[]int32{0, 1024, 2048, 32}, 400},
	{[]int32{0, 1024, 2048, 32, 1056}, 496},
}

func (e example) pattern() []int32 {
	p := make([]int32, patterns.Lanes)
	for l := range p {
		p[l] = int32(l)
	}
	copy(p, e.first)
	return p
}

func examples(Options) ([]validate.Check, error) {
	both, err := open("gtx580", device.OpAdd, device.F32)
	if err != nil {
		return nil, err
	}
	var all []validate.Check
	for _, e := range workedExamples {
		closed, simulated, err := both.cycles(e.pattern())
		if err != nil {
			return nil, err
		}
		base := both.params.Base
		item := fmt.Sprintf("gtx580, worked example %v: %%s against base + %v", e.first, e.penalty)
		all = append(all,
			validate.Check{Item: fmt.Sprintf(item, "closed form"), Value: math.Abs(closed - base - e.penalty), Unit: "cycles", Rows: 1, Status: validate.Enforced},
			validate.Check{Item: fmt.Sprintf(item, "simulated"), Value: math.Abs(simulated - base - e.penalty), Limit: 1e-3, Unit: "cycles", Rows: 1, Status: validate.Enforced})
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

// simulated compares closed form and simulator on the GeForce GTX 580.
func simulated(o Options) ([]validate.Check, error) {
	structured, err := deviations(patterns.Structured())
	if err != nil {
		return nil, err
	}
	random, err := randomDeviations(o)
	if err != nil {
		return nil, err
	}
	var all []validate.Check
	for _, set := range []struct {
		name string
		errs []float64
	}{{"structured", structured}, {"random", random}} {
		item := fmt.Sprintf("gtx580, closed form against simulator, %s patterns: ", set.name)
		r := fit.Summarise(set.errs)
		all = append(all,
			validate.Check{Item: item + "median error", Value: 100 * r.Median, Limit: 1.9, Unit: "%", Rows: r.Rows, Status: validate.Enforced},
			validate.Check{Item: item + "95th percentile", Value: 100 * r.P95, Limit: 8, Unit: "%", Rows: r.Rows, Status: validate.Enforced})
	}
	return all, nil
}

func deviations(all []patterns.Pattern) ([]float64, error) {
	both, err := open("gtx580", device.OpAdd, device.F32)
	if err != nil {
		return nil, err
	}
	errs := make([]float64, len(all))
	for i, p := range all {
		closed, simulated, err := both.cycles(p)
		if err != nil {
			return nil, err
		}
		errs[i] = math.Abs(closed/simulated - 1)
	}
	return errs, nil
}

// chunk is how many random patterns share a generator, so that the result does
// not depend on the number of cores.
const chunk = 10_000

// randomDeviations compares uniform random patterns over vote spaces of 32 to
// 4,096 words.
func randomDeviations(o Options) ([]float64, error) {
	errs := make([]float64, o.Random)
	var (
		group  errgroup.Group
		report sync.Mutex
		done   int
	)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for at := 0; at < o.Random; at += chunk {
		group.Go(func() error {
			both, err := open("gtx580", device.OpAdd, device.F32)
			if err != nil {
				return err
			}
			part := errs[at:min(at+chunk, o.Random)]
			if err := both.deviate(part, o.Seed, uint64(at)); err != nil {
				return err
			}
			report.Lock()
			defer report.Unlock()
			done += len(part)
			o.Progress(0.9 * float64(done) / float64(o.Random))
			return nil
		})
	}
	return errs, group.Wait()
}

func (b pair) deviate(errs []float64, seed, part uint64) error {
	rng := rand.New(rand.NewPCG(seed, part))
	pattern := make(patterns.Pattern, patterns.Lanes)
	for i := range errs {
		patterns.Space{Words: 32 << rng.IntN(8)}.Draw(rng, pattern)
		closed, simulated, err := b.cycles(pattern)
		if err != nil {
			return err
		}
		errs[i] = math.Abs(closed/simulated - 1)
	}
	return nil
}
