package scratchpad

import (
	"fmt"
	"math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
)

// ScratchpadSpeed times predictions and simulations of random patterns on the
// GeForce GTX 580, over vote spaces of 32 to 4,096 words, on two cores. Errors
// wrap ErrValidate.
func ScratchpadSpeed(seed uint64) (checks []validate.Check, err error) {
	defer validate.Wrap(&err)
	const predictions, simulations = 1_000_000, 400_000
	drawn := drawMany(seed, 4096)
	predicted, err := timed(predictions, drawn, func(b pair, p patterns.Pattern) error {
		_, err := b.model.Cycles(p)
		return err
	})
	if err != nil {
		return nil, err
	}
	simulated, err := timed(simulations, drawn, func(b pair, p patterns.Pattern) error {
		_, err := b.sm.Warp(p)
		return err
	})
	return []validate.Check{
		validate.AtMost(fmt.Sprintf("1,000,000 predictions on %d cores", cores),
			predicted.Seconds(), 1.5, "s", predictions),
		validate.AtLeast(fmt.Sprintf("simulations of one warp on %d cores", cores),
			simulations/simulated.Seconds(), 200_000, "1/s", simulations),
	}, err
}

func drawMany(seed uint64, n int) []patterns.Pattern {
	rng := rand.New(rand.NewPCG(seed, 11))
	all := make([]patterns.Pattern, n)
	for i := range all {
		all[i] = make(patterns.Pattern, patterns.Lanes)
		patterns.Space{Words: 32 << (i % 8)}.Draw(rng, all[i])
	}
	return all
}

// cores is how many share the work that is timed.
const cores = 2

// timed does so much work, shared among the cores, and returns how long it took.
func timed(
	total int, drawn []patterns.Pattern, work func(pair, patterns.Pattern) error,
) (time.Duration, error) {
	var group errgroup.Group
	start := time.Now()
	for core := range cores {
		group.Go(func() error {
			both, err := open("gtx580", device.OpAdd, device.F32)
			for i := core; i < total && err == nil; i += cores {
				err = work(both, drawn[i%len(drawn)])
			}
			return err
		})
	}
	err := group.Wait()
	return time.Since(start), err
}
