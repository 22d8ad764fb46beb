// Package scratchpad compares one warp's operations on shared memory: closed form,
// simulator, worked examples, recordings and a fit of known constants.
package scratchpad

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/atomtune/atomtune/calibration"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/lab/papers/gomezluna13"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/latency"
)

// Options say how much is compared.
type Options struct {
	Random   int    // random patterns on the GeForce GTX 580; 0 for 1,000,000
	Seed     uint64 // of those patterns
	Progress func(done float64)
	fits     int // 0 for all
}

// Scratchpad compares, on shared memory: the closed form with the worked
// examples of [gomezluna13] section 2.1.2, the closed form's counting with the simulator's
// on the GeForce GTX 580, both with the recordings of an H200 that no
// constant was fitted to, and what a fit makes of noisy measurements with what they were made
// of. Errors wrap ErrValidate.
func Scratchpad(o Options) (all []validate.Check, err error) {
	defer validate.Wrap(&err)
	o.Random, o.fits = cmp.Or(o.Random, 1_000_000), cmp.Or(o.fits, fits)
	for _, part := range []func(Options) ([]validate.Check, error){
		examples, simulated, recorded, recovered, recoveredH200,
	} {
		checks, err := part(o)
		if err != nil {
			return nil, err
		}
		all = append(all, checks...)
	}
	o.Progress(1)
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

func examples(Options) ([]validate.Check, error) {
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

// off is |closed form/simulated - 1|.
func (b pair) off(pattern []int32) (float64, error) {
	closed, simulated, err := b.cycles(pattern)
	return math.Abs(closed/simulated - 1), err
}

// simulated compares closed form and simulator on the GeForce GTX 580: two countings of the
// same passes, whose lengths are those of one profile.
func simulated(o Options) (all []validate.Check, err error) {
	both, err := open("gtx580", device.OpAdd, device.F32)
	if err != nil {
		return nil, err
	}
	list := patterns.Structured()
	structured := make([]float64, len(list))
	for i, p := range list {
		if structured[i], err = both.off(p); err != nil {
			return nil, err
		}
	}
	random, err := randomDeviations(o)
	if err != nil {
		return nil, err
	}
	for _, set := range []struct {
		name string
		errs []float64
	}{{"structured", structured}, {"random", random}} {
		item := fmt.Sprintf("gtx580, two countings of one warp's passes, closed form and simulator, "+
			"%s patterns: largest difference", set.name)
		r := calibration.Summarise(set.errs)
		all = append(all, validate.AtMost(item, 100*r.Max, 1e-3, "%", r.Rows))
	}
	return all, nil
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

func (b pair) deviate(errs []float64, seed, part uint64) (err error) {
	rng := rand.New(rand.NewPCG(seed, part))
	pattern := make(patterns.Pattern, patterns.Lanes)
	for i := range errs {
		patterns.Space{Words: 32 << rng.IntN(8)}.Draw(rng, pattern)
		if errs[i], err = b.off(pattern); err != nil {
			return err
		}
	}
	return nil
}
