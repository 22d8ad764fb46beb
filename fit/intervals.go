package fit

import (
	"math/rand/v2"
	"slices"

	"github.com/atomtune/atomtune/latency"
)

// intervals returns the constants with the 2.5th and 97.5th percentile of
// their values over resamples of the rows, with the weights of the fit.
func (c *candidate) intervals(o Options) []Constant {
	rng := rand.New(rand.NewPCG(o.Seed, uint64(len(c.y))))
	n := len(c.y)
	scaled := append([]float64(nil), c.y...)
	c.rescale(scaled)
	terms := c.terms()
	drawn := make([][]float64, len(c.use))
	for range o.Resamples {
		weights := make([]float64, n)
		for range n {
			i := rng.IntN(n)
			weights[i] += c.weights[i]
		}
		b := c.least(weights, scaled)
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
	return constants
}
