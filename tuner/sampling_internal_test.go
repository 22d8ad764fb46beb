package tuner

import (
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
)

// TestLookingPays: over the kinds of streams, the expected time of all launches
// and of looking together is never above that of always looking, nor of never.
// The times are worked out anew, by Choose for each implementation alone.
func TestLookingPays(t *testing.T) {
	d, err := device.Builtin("c2075")
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewChooser(d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sampled, passed := 0, 0
	for _, n := range []uint64{1, 1 << 8, 1 << 14, 1 << 20, 1 << 26} {
		for _, k := range []uint64{1, 64, 1 << 14, 1 << 24} {
			fixed, best := meanTimes(t, d, c, n, k)
			for _, launches := range []int{1, 10, 10000} {
				for _, cost := range []float64{0, 50, 1e4} {
					budget := SamplingBudget{Launches: launches, CostUS: cost}
					l, err := c.Worth(n, k, budget)
					if err != nil {
						t.Fatal(err)
					}
					always := float64(launches)*best + budget.cost(n, firstBlocks)
					never := float64(launches) * fixed
					expected := never
					if l.Sampled {
						expected = always
						sampled++
					} else {
						passed++
					}
					if expected > min(always, never)*(1+1e-9) {
						t.Errorf("%d updates of %d targets, %+v: %v us, always %v us, never %v us", n, k, budget,
							expected, always, never)
					}
				}
			}
		}
	}
	if sampled < 20 || passed < 20 {
		t.Errorf("sampled %d times, did not sample %d times: want some of each", sampled, passed)
	}
}

// meanTimes returns the mean over the kinds of the time of the best fixed
// implementation, and of the least time, segreduce left out.
func meanTimes(t *testing.T, d *device.Profile, c *Chooser, n, k uint64) (fixed, best float64) {
	t.Helper()
	means := make([]float64, len(c.prices.List))
	for _, of := range components {
		var s collision.Stats
		of.stats(n, k, 32, blockSize, &s)
		least := math.Inf(1)
		for i, v := range c.prices.List {
			us := math.Inf(1)
			if !v.NeedsGrouped() && c.prices.Bundle.Check(&s, i) == nil {
				cost, err := c.prices.Explain(&s, i, device.Launch{})
				if err != nil {
					t.Fatal(err)
				}
				us = cost.US
				if v.OnHost() {
					us += d.Host.Relayout.Value / 1e3 * float64(n)
				}
			}
			means[i] += us / float64(len(components))
			least = min(least, us)
		}
		best += least / float64(len(components))
	}
	return slices.Min(means), best
}

// TestDoubt: a sample without half-widths leaves no doubt, and wider ones leave
// no less.
func TestDoubt(t *testing.T) {
	_, c := onH200(t)
	var s collision.Stats
	component{0.1, 1, 1, 0}.stats(1<<22, 1<<12, 32, blockSize, &s)
	doubts := []float64{}
	for _, width := range []float64{0, 0.1, 1, 4, 20} {
		s.Sampled = &collision.Sampling{
			Blocks: 16, TotalBlocks: 1 << 14, MaxFrequencyLow: 1,
			HalfWidth: collision.HalfWidths{
				WarpLevel: 0.02 * width, DistinctPerWarp: width, SectorPasses4: width, Sectors4: width,
				MaxFrequency: 5e4 * width, BankLanes: width, BlockLevel: 0.01 * width,
				DistinctPerBlock: 8 * width,
			},
		}
		doubts = append(doubts, c.gainOfMore(&s))
	}
	if doubts[0] != 0 || doubts[len(doubts)-1] <= 0 {
		t.Errorf("doubts %v: want none and then some", doubts)
	}
	for _, by := range []float64{-0.5, 0.5} {
		if m := s.Shifted(by); m.Check() != nil {
			t.Errorf("shifted by %v: %v", by, m.Check())
		}
	}
}
