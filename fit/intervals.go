package fit

import (
	"math/rand/v2"
	"slices"

	"github.com/atomtune/atomtune/latency"
)

// intervals returns the constants with the 2.5th and 97.5th percentile of
// their values over resamples of the rows, each weighted anew. Hidden is
// searched in whole passes and is known to one.
func (c *candidate) intervals(o Options) []Constant {
	rng := rand.New(rand.NewPCG(o.Seed, uint64(len(c.y))))
	n := len(c.y)
	scaled := append([]float64(nil), c.y...)
	c.rescale(scaled)
	terms := c.terms()
	drawn := make([][]float64, len(c.use))
	for range o.Resamples {
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
		slices.Sort(drawn[j])
		at := func(q float64) float64 { return drawn[j][int(q*float64(len(drawn[j])-1)+0.5)] }
		constants = append(constants, Constant{names[j], c.b[j], Interval{min(at(0.025), c.b[j]), max(at(0.975), c.b[j])}})
	}
	if c.hidden > 0 {
		bank := c.b[termNumber["bank"]]
		constants = append(constants, Constant{"hidden", c.hidden * bank, Interval{(c.hidden - 1) * bank, (c.hidden + 1) * bank}})
	}
	return constants
}

// resampled returns the coefficients of rows that were drawn so many times:
// from the weights of the whole fit, twice weighted anew.
func (c *candidate) resampled(counts, scaled []float64) []float64 {
	r := regression{x: c.x, y: c.y, use: c.use, b: c.b}
	weights := make([]float64, len(counts))
	scale := max(scaleOf(c.errs), leastScale)
	for i, n := range counts {
		weights[i] = n * c.weights[i]
	}
	for range 2 {
		r.b = r.least(weights, scaled)
		for i, n := range counts {
			if n > 0 {
				weights[i] = n * biweight((r.predict(r.x[i])/r.y[i]-1)/scale)
			}
		}
	}
	return r.least(weights, scaled)
}
