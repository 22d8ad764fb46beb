package kernels

import (
	"cmp"
	"math"
	"slices"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/validate"
)

// rankingTau is the limit of a ranking.
const rankingTau = 0.85

// fewestRanked is how many implementations make a ranking.
const fewestRanked = 3

// ranking holds to its limit how far the order of the implementations by
// predicted time is that by measured time: Kendall's tau for each stream and
// kind of call, in the mean; over all that were measured, near twins such as
// paddings and thresholds among them, and over the candidates of a choice.
func ranking(points []point) []validate.Check {
	candidates := slices.DeleteFunc(slices.Clone(points), func(p point) bool {
		return !slices.Contains(impl.Candidates(), p.Implementation)
	})
	simulated := func(p point) float64 { return p.simulatedUS }
	closed := func(p point) float64 { return p.closedUS }
	return []validate.Check{
		meanTau("all implementations, simulated", points, simulated),
		meanTau("all implementations, closed form", points, closed),
		meanTau("candidates of a choice, simulated", candidates, simulated),
		meanTau("candidates of a choice, closed form", candidates, closed),
	}
}

// meanTau compares the times of points, those of a stream and kind of call side by side.
func meanTau(what string, points []point, us func(point) float64) validate.Check {
	sum, n := 0.0, 0
	for len(points) > 0 {
		end := slices.IndexFunc(points, func(p point) bool {
			return p.Label != points[0].Label || p.Call != points[0].Call
		})
		if end < 0 {
			end = len(points)
		}
		var predicted, measured []float64
		for _, p := range points[:end] {
			if v := us(p); !math.IsNaN(v) {
				predicted, measured = append(predicted, v), append(measured, p.measuredUS)
			}
		}
		if tau := kendall(predicted, measured); len(predicted) >= fewestRanked && !math.IsNaN(tau) {
			sum, n = sum+tau, n+1
		}
		points = points[end:]
	}
	return validate.AtLeast(
		"ranking of "+what+": Kendall's tau in the mean over streams and kinds of call",
		sum/float64(max(n, 1)), rankingTau, validate.UnitTau, n)
}

// kendall returns Kendall's rank correlation tau-b of two lists of one length,
//
//	tau_b = (C - D) / sqrt((n0 - n1)(n0 - n2))
//
// with C concordant and D discordant pairs of n0, of which n1 are tied in a and
// n2 in b: 1 for the same order, -1 for the reverse (M. G. Kendall, The
// treatment of ties in ranking problems, Biometrika 33(3), 1945). It is NaN
// where one list is tied throughout or shorter than two.
func kendall(a, b []float64) float64 {
	var balance, freeA, freeB float64
	for i := range a {
		for k := range i {
			signA, signB := float64(cmp.Compare(a[i], a[k])), float64(cmp.Compare(b[i], b[k]))
			balance += signA * signB
			freeA += signA * signA
			freeB += signB * signB
		}
	}
	return balance / math.Sqrt(freeA*freeB)
}
