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
	var all []*candidate
	for _, turn := range []int{0, 2, 3, 4} {
		s := best.Structure
		s.StepTurn = turn
		c, err := newCandidate(data, s)
		if err != nil {
			return nil, err
		}
		for _, name := range branchTerms {
			c.Use[termNumber[name]] = false
		}
		c.hidden = best.hidden
		c.fit()
		all = append(all, c)
	}
	return all, nil
}

// covered returns the best structure with a part of the first read's conflict
// beneath other work, where the word is read once.
func covered(data rows, best *candidate) ([]*candidate, error) {
	if best.Mechanism != device.CAS {
		return nil, nil
	}
	bank := termNumber["bank"]
	var all []*candidate
	for passes := 1; passes < best.Lanes; passes++ {
		c, err := newCandidate(data, best.Structure)
		if err != nil {
			return nil, err
		}
		c.hidden = float64(passes)
		for _, row := range c.X {
			row[bank] -= min(row[bank], c.hidden)
		}
		c.fit()
		all = append(all, c)
	}
	return all, nil
}

// prune takes out terms that do not pay for themselves, the least useful
// first.
func (c *candidate) prune() {
	noise := max(regression.ScaleOf(c.errs), regression.LeastScale)
	c.loss = lossOf(c.errs, noise)
	for {
		var better *candidate
		for _, j := range c.Terms() {
			if j == termNumber["base"] {
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

// unroll makes a native unit of a loop in which nothing but the number of turns
// counts: the unit serves the lanes of a bank one by one, and what looked like
// locks are its banks.
func (c *candidate) unroll() {
	if c.Mechanism != device.Lock || c.Wide || c.Locks > c.Banks {
		return
	}
	for _, name := range append([]string{"bank", "write", "step"}, branchTerms...) {
		if c.Use[termNumber[name]] {
			return
		}
	}
	c.Mechanism, c.Banks, c.Locks, c.StepTurn = device.Native, c.Locks, 0, 0
}

// name tells a lock loop from a loop of the hardware: the first writes with
// bank conflicts of its own, the second swaps without, or has no more locks
// than banks.
func (c *candidate) name() {
	if c.Mechanism != device.Lock || c.Wide {
		return
	}
	switch {
	case c.Locks <= c.Banks:
		c.Mechanism = device.Spin
	case c.B[termNumber["write"]] == 0:
		c.Mechanism = device.Spin
		c.doubts = append(c.doubts, Unidentified{"mechanism",
			"with more locks than banks and no conflict of writes, a lock loop whose writes are free is " +
				"as likely"})
	}
}

// resamples is how often the rows are drawn anew.
const resamples = 300

// intervals returns the constants with the 2.5th and 97.5th percentile of
// their values over resamples of the rows, each weighted anew. Hidden is
// searched in whole passes and is known to one.
func (c *candidate) intervals(o Options) []Constant {
	rng := rand.New(rand.NewPCG(o.Seed, uint64(len(c.Y))))
	n := len(c.Y)
	scaled := slices.Clone(c.Y)
	c.Rescale(scaled)
	terms := c.Terms()
	drawn := make([][]float64, len(c.Use))
	for range resamples {
		counts := make([]float64, n)
		for range n {
			counts[rng.IntN(n)]++
		}
		b := c.resampled(counts, scaled)
		for _, j := range terms {
			drawn[j] = append(drawn[j], b[j])
		}
	}
	var constants []Constant
	names := latency.Terms()
	for _, j := range terms {
		constants = append(constants, Constant{names[j], c.B[j], percentiles(drawn[j], c.B[j])})
	}
	if c.hidden > 0 {
		bank := c.B[termNumber["bank"]]
		constants = append(constants, Constant{"hidden", c.hidden * bank,
			Interval{(c.hidden - 1) * bank, (c.hidden + 1) * bank}})
	}
	return constants
}

// resampled returns the coefficients of rows that were drawn so many times:
// from the weights of the whole fit, twice weighted anew.
func (c *candidate) resampled(counts, scaled []float64) []float64 {
	r := regression.Model{X: c.X, Y: c.Y, Use: c.Use, B: c.B}
	weights := make([]float64, len(counts))
	scale := max(regression.ScaleOf(c.errs), regression.LeastScale)
	for i, n := range counts {
		weights[i] = n * c.Weights[i]
	}
	for range 2 {
		r.B = r.Least(weights, scaled)
		for i, n := range counts {
			if n > 0 {
				weights[i] = n * regression.Biweight((r.Predict(r.X[i])/r.Y[i]-1)/scale)
			}
		}
	}
	return r.Least(weights, scaled)
}
