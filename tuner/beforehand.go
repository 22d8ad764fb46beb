package tuner

import (
	"fmt"
	"math"
	"slices"
)

// Beforehand says what the choice needs before the first call, and which is the first of the ranking that needs
// nothing; "" where the choice needs nothing.
func (d *Decision) Beforehand() string {
	first := d.Ranking[0].Implementation
	if !first.NeedsTargets() || d.Ranking[0].Parts != nil { // of rows a call finds them
		return ""
	}
	text := fmt.Sprintf("%s needs to know the most frequent targets before the first call: finding them on the "+
		"device takes about %s us, once for all calls", first, number(d.Ranking[0].PreparationUS))
	at := slices.IndexFunc(d.Ranking, func(r Ranked) bool { return !r.Implementation.NeedsTargets() })
	if at < 0 {
		return text + "; implementations with sample=M find them in the call"
	}
	other := d.Ranking[at]
	return fmt.Sprintf("%s; without them the fastest is %s, %s us", text, other.Implementation, number(other.PredictedUS))
}

// again says from how many calls on the same indices the choice is another, which prepares something once; "" where
// none is, or where they come again already.
func (c *Chooser) again(ranked []prediction) string {
	best, from := &ranked[0], math.Inf(1)
	var of *prediction
	for i := range ranked[1:] {
		r := &ranked[1+i]
		// In N calls r.Kernels + r.Prepared/N is less than a tie with best.
		if gain := best.Kernels/(1+TieBand) - r.Kernels; r.Prepared > 0 && gain > 0 {
			if calls := max(2, math.Floor((r.Prepared-best.Prepared/(1+TieBand))/gain)+1); calls < from {
				of, from = r, calls
			}
		}
	}
	if of == nil || c.opts.Calls > 1 || c.opts.Cautious {
		return ""
	}
	return fmt.Sprintf(" From %s calls with the same indices on, %s is faster: %s us per call, after %s us once.",
		number(from), of.implementation, number(of.Kernels), number(of.Prepared))
}
