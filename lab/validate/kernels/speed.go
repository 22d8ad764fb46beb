package kernels

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// speedStream is the stream on which simulations are timed: 2^24 updates.
const speedStream = "uniform:n=16777216,k=65536,seed=1"

// KernelSpeed times the simulation of plain atomics on one core, whole and sampled, and compares
// what different numbers of workers make of the same calls. Errors wrap ErrValidate.
func KernelSpeed(ctx context.Context) (checks []validate.Check, err error) {
	defer validate.Wrap(&err)
	if checks, err = simulationSpeed(speedStream); err != nil {
		return nil, err
	}
	same, err := workersAgree(ctx, 1<<21)
	return append(checks, same), err
}

func simulationSpeed(label string) ([]validate.Check, error) {
	gpu, err := device.Builtin("h200")
	if err != nil {
		return nil, err
	}
	indices, err := generated(label)
	if err != nil {
		return nil, err
	}
	bins := uint64(slices.Max(indices)) + 1
	cfg := hwsim.Config{Device: gpu, Call: device.Call{Type: device.U32}, Seed: kernelSeed}
	whole := func() error {
		r, err := hwsim.Run(cfg, indices, bins)
		if err == nil && !r.Correct {
			err = fmt.Errorf("%s: %w: wrong final array", label, hwsim.ErrSimulation)
		}
		return err
	}
	sampled := func() error {
		_, err := hwsim.Estimate(cfg, indices, bins)
		return err
	}
	var checks []validate.Check
	for _, c := range []struct {
		item  string
		limit float64
		run   func() error
	}{{"whole", 4, whole}, {"sampled", 0.5, sampled}} {
		took, err := onOneCore(c.run)
		if err != nil {
			return nil, err
		}
		checks = append(checks, validate.AtMost(
			fmt.Sprintf("h200, naive over %d updates on one core, %s", len(indices), c.item),
			took.Seconds(), c.limit, "s", len(indices)))
	}
	return checks, nil
}

// onOneCore returns how long work takes with no core besides its own, those of
// the garbage collector included.
func onOneCore(work func() error) (time.Duration, error) {
	runtime.GC()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	start := time.Now()
	err := work()
	return time.Since(start), err
}

// workersAgree simulates some of the cheapest calls with one worker and with
// several, and counts the calls whose times differ.
func workersAgree(ctx context.Context, updates uint64) (validate.Check, error) {
	g, err := recordedSet()
	if err != nil {
		return validate.Check{}, err
	}
	some := g.cheapest(g.calls, updates)
	first, differ := callTimes{}, map[recorded.CallKey]bool{}
	for _, workers := range []int{1, 2, 5} {
		err := simulator(g.gpu).simulateAll(ctx, some, workers, func(c SimulatedCall) error {
			if us, known := first[c.CallKey]; known && us != c.US {
				differ[c.CallKey] = true
			}
			first[c.CallKey] = c.US
			return nil
		})
		if err != nil {
			return validate.Check{}, err
		}
	}
	return validate.AtMost("simulated times that differ between 1, 2 and 5 workers",
		float64(len(differ)), 0, "calls", len(some)), nil
}

// cheapest returns calls of the shortest streams, at equal distances of those on
// at most a quarter more updates than the shortest has, and so many that about
// that number of updates is simulated.
func (g *recordedKernels) cheapest(calls []plannedCall, updates uint64) []plannedCall {
	least := calls[0].updates
	for _, c := range calls {
		least = min(least, c.updates)
	}
	var short []plannedCall
	for _, c := range calls {
		if c.updates < least*5/4 && c.bins <= 1<<20 {
			short = append(short, c)
		}
	}
	some := make([]plannedCall, min(max(1, int(updates/least)), len(short)))
	for i := range some {
		some[i] = short[i*len(short)/len(some)]
	}
	return some
}
