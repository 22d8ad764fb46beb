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
	text := fmt.Sprintf("%s needs the most frequent targets before the first call: finding them on the device takes "+
		"about %s us, which its time holds a part of for each of the calls", first, number(d.Ranking[0].PreparationUS))
	at := slices.IndexFunc(d.Ranking, func(r Ranked) bool { return !r.Implementation.NeedsTargets() })
	if at < 0 {
		return text + ": implementations with sample=M find them in the call"
	}
	other := d.Ranking[at]
	return fmt.Sprintf("%s: where they are not known, the fastest is %s, %s us", text,
		other.Implementation, number(other.PredictedUS))
}

// again says from how many calls on the same indices another implementation than the choice is the fastest, which
// prepares something once; "" where none is, or where they come again already.
func (c *Chooser) again(ranked []prediction) string {
	best, from := &ranked[0], math.Inf(1)
	var of *prediction
	for i := range ranked[1:] {
		r := &ranked[1+i]
		if gain := best.US - r.Kernels; r.Prepared > 0 && gain > TieBand*best.US {
			if calls := math.Floor(r.Prepared/gain) + 1; calls < from {
				of, from = r, calls
			}
		}
	}
	if of == nil || c.opts.Calls > 1 {
		return ""
	}
	return fmt.Sprintf(" Where the same indices come in %s calls or more, %s is faster, %s us beside %s us once.",
		number(max(2, from)), of.implementation, number(of.Kernels), number(of.Prepared))
}
