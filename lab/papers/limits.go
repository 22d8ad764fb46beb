package papers

import (
	"cmp"
	"math"
)

// RatioKind is what a published ratio is of, which says how near ours has to be: on the same side
// of 1, see SameSide, and within the kind's factor.
type RatioKind int

// The kinds of published ratios.
const (
	Average RatioKind = iota // of inputs, or of an input that the paper describes: 1.25
	Extreme                  // the smallest or the largest of inputs, which one decides: 1.5
)

var ratioFactors = [...]float64{Average: 1.25, Extreme: 1.5}

// Factor is up to which factor a published ratio of the kind is met.
func (k RatioKind) Factor() float64 { return ratioFactors[k] }

// Met reports whether ours is the published ratio.
func (k RatioKind) Met(ours, paper float64) bool {
	return SameSide(ours, paper) && Within(ours, paper, k.Factor())
}

// SameSide reports whether both ratios are speedups, both slowdowns, or both neither. Ratios that
// differ by the last of two decimals, such as 0.99 and 1.00, are on the same side as well.
func SameSide(ours, paper float64) bool {
	return Side(ours) == Side(paper) || math.Abs(hundredths(ours)-hundredths(paper)) <= 1
}

// Side is -1 of a slowdown, 1 of a speedup, and 0 of a ratio that is 1 to the two decimals that
// papers print.
func Side(ratio float64) int { return cmp.Compare(hundredths(ratio), 100) }

func hundredths(ratio float64) float64 { return math.Round(100 * ratio) }

// LossMet reports whether a choice loses, in percent of the best, no more than the published
// one up to the factor of an average. To lose less contradicts no paper.
func LossMet(ours, paper float64) bool {
	return ours >= 0 && ours <= paper*Average.Factor()
}

// StateRatio is StateNumber for a published ratio.
func (f *Findings) StateRatio(item string, kind RatioKind, paper, ours float64, args ...any) {
	f.StateNumber(item, paper, ours, kind.Met(ours, paper), args...)
}
