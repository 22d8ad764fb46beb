package fit

import (
	"math/rand/v2"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/fit/regression"
	"github.com/atomtune/atomtune/latency"
)

// stepped returns the best structure with one step at a turn in place of the
// parked lanes, and with neither.
func stepped(data rows, best *candidate) ([]*candidate, error) {
	if !best.Loops() || best.Apart {
		return nil, nil
	}
	var all []latency.Structure
	for _, turn := range []int{0, 2, 3, 4} {
		s := best.Structure
		s.StepTurn = turn
		all = append(all, s)
	}
	return fitAll(data, all, func(c *candidate) {
		for _, j := range branchTerms {
			c.Use[j] = false
		}
		c.hidden = best.hidden
		c.fit()
	})
}

// covered returns the best structure with a part of the first read's conflict
// beneath other work, where the word is read once.
func covered(data rows, best *candidate) ([]*candidate, error) {
	if best.Mechanism != device.CAS {
		return nil, nil
	}
	passes := 0.0
	return fitAll(data, slices.Repeat([]latency.Structure{best.Structure}, best.Lanes-1),
		func(c *candidate) {
			passes++
			c.hidden = passes
			c.hide()
			c.fit()
		})
}

// hide takes the hidden passes off the first read's.
func (c *candidate) hide() {
	rows := make([][]float64, len(c.X))
	for i, row := range c.X {
		rows[i] = slices.Clone(row)
		rows[i][latency.TermBank] -= min(row[latency.TermBank], c.hidden)
	}
	c.X = rows
}

// prune takes out terms that do not pay for themselves, the least useful first.
func (c *candidate) prune() {
	noise := max(c.scale, regression.LeastScale)
	c.loss = lossOf(c.errs, noise)
	for {
		var better *candidate
		for _, j := range c.Terms() {
			if j == latency.TermBase {
				continue
			}
			less := *c
			less.Use = slices.Clone(c.Use)
			less.Use[j] = false
			less.fit()
			less.loss = lossOf(less.errs, noise)
			if less.penalised() < c.penalised() && (better == nil || less.penalised() < better.penalised()) {
				better = &less
			}
		}
		if better == nil {
			return
		}
		*c = *better
	}
}

// unroll makes a native unit of a loop in which nothing but the number of turns counts: the unit
// serves the lanes of a bank one by one, and what looked like locks are its banks.
func (c *candidate) unroll() {
	if c.Mechanism != device.Lock || c.Wide || c.Locks > c.Banks {
		return
	}
	for _, j := range append(branchTerms, latency.TermBank, latency.TermWrite, latency.TermStep) {
		if c.Use[j] {
			return
		}
	}
	c.Mechanism, c.Banks, c.Locks, c.StepTurn = device.Native, c.Locks, 0, 0
}

// name tells a lock loop from a loop of the hardware: the first writes with bank conflicts of its
// own, the second swaps without, or has no more locks than banks.
func (c *candidate) name() {
	free := c.B[latency.TermWrite] == 0
	if c.Mechanism != device.Lock || c.Wide || c.Locks > c.Banks && !free {
		return
	}
	c.Mechanism = device.Spin
	if c.Locks > c.Banks {
		c.doubts = append(c.doubts, Unidentified{"mechanism", "with more locks than banks and no " +
			"conflict of writes, a lock loop whose writes are free is as likely"})
	}
}

const resamples = 300 // how often the rows are drawn anew

// intervals returns the constants with the 2.5th and 97.5th percentile of
// their values over resamples of the rows, each weighted anew. Hidden is
// searched in whole passes and is known to one.
func (c *candidate) intervals() []Constant {
	rng := rand.New(rand.NewPCG(0, uint64(len(c.Y))))
	system, scaled := c.System(), c.Rescaled()
	scale := max(c.scale, regression.LeastScale)
	counts, weights := make([]float64, len(c.Y)), make([]float64, len(c.Y))
	drawn := make([][]float64, len(c.Use))
	for range resamples {
		clear(counts)
		for range counts {
			counts[rng.IntN(len(counts))]++
		}
		for i, n := range counts {
			weights[i] = n * c.Weights[i]
		}
		for range 2 { // from the weights of the whole fit, twice weighted anew
			for i, e := range system.Errors(system.Least(weights, scaled)) {
				weights[i] = counts[i] * regression.Biweight(e/scale)
			}
		}
		for j, b := range system.Least(weights, scaled) {
			drawn[j] = append(drawn[j], b)
		}
	}
	var constants []Constant
	names := latency.Terms()
	for _, j := range c.Terms() {
		constants = append(constants, Constant{names[j], c.B[j], percentiles(drawn[j], c.B[j])})
	}
	if c.hidden > 0 {
		bank := c.B[latency.TermBank]
		constants = append(constants, Constant{"hidden", c.hidden * bank,
			Interval{(c.hidden - 1) * bank, (c.hidden + 1) * bank}})
	}
	return constants
}
