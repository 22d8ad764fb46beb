package tuner

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/variant"
)

// LargeBound is the LossBound from which a decision names the measurements that
// would settle it.
const LargeBound = 1.5

// mostSettled is how many implementations Decision.Settle holds at most.
const mostSettled = 3

// lossBound returns an upper bound on the time of the first implementation over
// that of the fastest one, if every time lies in its interval:
//
//	max(1, high(first) / min over the others of low)
func lossBound(ranked []prediction) float64 {
	least := math.Inf(1)
	for _, r := range ranked[1:] {
		least = min(least, r.low)
	}
	return max(1, ranked[0].high/least)
}

// settle returns the implementations that are worth timing where the bound is
// large: the first, and those that could be faster than it by most. Once
// they are timed, only the others are left in the bound.
func settle(ranked []prediction) []variant.Variant {
	list := []variant.Variant{}
	if lossBound(ranked) < LargeBound {
		return list
	}
	rivals := slices.Clone(ranked[1:])
	slices.SortStableFunc(rivals, func(a, b prediction) int { return cmp.Compare(a.low, b.low) })
	list = append(list, ranked[0].variant)
	for _, r := range rivals {
		if r.low < ranked[0].high && len(list) < mostSettled {
			list = append(list, r.variant)
		}
	}
	return list
}

// doubt says how far off the choice may be and what would settle it, "" where
// the bound is small.
func doubt(ranked []prediction, toTime []variant.Variant) string {
	if len(toTime) == 0 {
		return ""
	}
	names := make([]string, len(toTime))
	for i, v := range toTime {
		names[i] = v.String()
	}
	return fmt.Sprintf(" If every time lies in its interval, %s takes at most %s times as long as the best: timing %s would settle most of it.",
		ranked[0].variant, ratio(lossBound(ranked)), inWords(names))
}

// byCaution orders predictions by the upper ends of their intervals. What
// notBelowNaive keeps behind naive stays there, however narrow its interval.
func byCaution(ranked []prediction) {
	naive := slices.IndexFunc(ranked, func(r prediction) bool { return r.variant == variant.Variant{} })
	if naive >= 0 {
		plain := ranked[naive]
		for i := range ranked {
			if behindNaive(&ranked[i], &plain) {
				ranked[i].high = max(ranked[i].high, plain.high)
			}
		}
	}
	order(ranked, func(r *prediction) float64 { return r.high })
}

// behindNaive reports whether an implementation adds to the same global targets
// as naive, and its closed form finds nothing that makes it cheaper.
func behindNaive(r, naive *prediction) bool {
	return r.variant.Base == variant.Global && r.closed >= naive.closed
}

// cautiously says by what a cautious choice goes, "" for any other.
func (p *predictor) cautiously(ranked []prediction) string {
	if !p.opts.Cautious {
		return ""
	}
	text := fmt.Sprintf(" It is a cautious choice, by the upper end of the interval: %s us at most for %s",
		number(ranked[0].high), ranked[0].variant)
	if len(ranked) > 1 {
		text += fmt.Sprintf(", %s us for %s", number(ranked[1].high), ranked[1].variant)
	}
	return text + "."
}
