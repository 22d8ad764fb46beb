package tuner

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/model"
)

const (
	largeBound = 1.5 // LossBound from which a decision names what to time
	mostTimed  = 3   // implementations in Decision.Settle at most
)

// bounded reports whether intervals bound what a choice loses. Those of rows are as wide as the times of all
// implementations are off together.
func (c *Chooser) bounded() bool { return c.prices.Measured() && !c.opts.Call.Wide() }

// lossBound returns Choice.LossBound, max(1, high(first) / min over the others of low).
func lossBound(ranked []prediction) float64 {
	least := math.Inf(1)
	for _, r := range ranked[1:] {
		least = min(least, r.Low)
	}
	return max(1, ranked[0].High/least)
}

// worthTiming returns the implementations to time where the bound is large: the first, and
// those that could be faster than it by most.
func worthTiming(ranked []prediction) []impl.Spec {
	list := []impl.Spec{}
	if lossBound(ranked) < largeBound {
		return list
	}
	others := slices.Clone(ranked[1:])
	slices.SortStableFunc(others, func(a, b prediction) int { return cmp.Compare(a.Low, b.Low) })
	list = append(list, ranked[0].implementation)
	for _, r := range others {
		if r.Low < ranked[0].High && len(list) < mostTimed {
			list = append(list, r.implementation)
		}
	}
	return list
}

// besides says what else there is to a choice: from how many calls on the same indices it is another, which prepares
// something once; by what a cautious choice goes; how far off it may be, and what to time.
func (c *Chooser) besides(ranked []prediction, toTime []impl.Spec) (text string) {
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
	if of != nil && c.opts.Calls <= 1 && !c.opts.Cautious {
		text = fmt.Sprintf(" From %s calls with the same indices on, %s is faster: %s us per call, after %s us once.",
			number(from), of.implementation, number(of.Kernels), number(of.Prepared))
	}
	if c.opts.Cautious {
		text += fmt.Sprintf(" It is a cautious choice, by the upper end of the interval: %s us at most for %s",
			number(best.High), best.implementation)
		if len(ranked) > 1 {
			text += fmt.Sprintf(", %s us for %s", number(ranked[1].High), ranked[1].implementation)
		}
		text += "."
	}
	if len(toTime) > 0 {
		text += fmt.Sprintf(" If all intervals hold, %s takes at most %s times as long as the best. "+
			"Timing %s would narrow this down.", best.implementation, number(lossBound(ranked)), inWords(toTime))
	}
	return text
}

// TieBand is the part of the lesser of two tied times by which the other may be longer.
const TieBand = model.TieBand

// ties returns the implementations within the band of the least time, beside the choice.
func (c *Chooser) ties(ranked []prediction) []impl.Spec {
	ranked = c.choosable(ranked)
	least, list := math.Inf(1), []impl.Spec{}
	for _, r := range ranked {
		least = min(least, c.key(&r.Prediction))
	}
	for _, r := range ranked[1:] {
		if c.key(&r.Prediction) <= least*(1+TieBand) {
			list = append(list, r.implementation)
		}
	}
	return list
}

// tied says which implementations are tied with the first, and what they save at most; "" where none is.
func (c *Chooser) tied(ranked []prediction, list []impl.Spec) string {
	if len(list) == 0 {
		return ""
	}
	saved := 0.0
	for _, r := range ranked {
		if slices.Contains(list, r.implementation) {
			saved = max(saved, 1-c.key(&r.Prediction)/c.key(&ranked[0].Prediction))
		}
	}
	verb, than := "is", "neither simpler nor faster"
	if len(list) > 1 {
		verb = "are"
	}
	if saved >= 1e-3 {
		than = "no simpler and would save at most " + number(100*saved) + " %"
	}
	return fmt.Sprintf(" It ties with %s, which %s %s.", inWords(list), verb, than)
}

// inWords joins the names of a list, the first few of many.
func inWords(list []impl.Spec) string {
	const few = 4
	names, last := make([]string, len(list)), max(0, len(list)-1)
	for i, v := range list {
		names[i] = v.String()
	}
	switch {
	case len(list) > few+1:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(list)-few)
	case len(list) > 1:
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return strings.Join(names, "")
}

// Beforehand says what the choice needs before the first call, and which is the first of the ranking that needs
// nothing; "" where the choice needs nothing.
func (d *Decision) Beforehand() string {
	first := d.Ranking[0].Implementation
	if !first.NeedsTargets() || d.Ranking[0].Parts != nil { // of rows a call finds them
		return ""
	}
	text := fmt.Sprintf("%s needs to know the most frequent targets before the first call: finding them on the device "+
		"takes about %s us, once for all calls", first, number(d.Ranking[0].PreparationUS))
	at := slices.IndexFunc(d.Ranking, func(r Ranked) bool { return !r.Implementation.NeedsTargets() })
	if at < 0 {
		return text + "; implementations with sample=M find them in the call"
	}
	other := d.Ranking[at]
	return fmt.Sprintf("%s; without them the fastest is %s, %s us", text, other.Implementation, number(other.PredictedUS))
}
