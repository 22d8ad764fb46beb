package kernels

import (
	"math"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/variant"
)

const unitTau = "tau"

// fewestRanked is how many implementations make a ranking.
const fewestRanked = 3

// ranking holds to its limit how far the order of the implementations by
// predicted time is that by measured time: Kendall's tau for each stream and
// kind of call, in the mean; over all that were measured, near twins such as
// paddings and thresholds among them, and over the candidates of a choice.
func ranking(points []point) []validate.Check {
	candidates := slices.DeleteFunc(slices.Clone(points), func(p point) bool {
		return !slices.Contains(variant.Candidates(), p.Implementation)
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

func meanTau(what string, points []point, us func(point) float64) validate.Check {
	type question struct {
		label string
		call  device.Call
	}
	groups := map[question][]point{}
	var order []question // the sum is then the same each time
	for _, p := range points {
		q := question{p.Label, p.Call}
		if groups[q] == nil {
			order = append(order, q)
		}
		groups[q] = append(groups[q], p)
	}
	sum, n := 0.0, 0
	for _, q := range order {
		if tau := tauOf(groups[q], us); !math.IsNaN(tau) {
			sum, n = sum+tau, n+1
		}
	}
	return validate.Check{Item: "ranking of " + what + ": Kendall's tau in the mean over streams and kinds of call",
		Value: sum / float64(max(n, 1)), Limit: rankingTau, Unit: unitTau, Least: true, Rows: n, Status: validate.Enforced}
}

func tauOf(group []point, us func(point) float64) float64 {
	var predicted, measured []float64
	for _, p := range group {
		if v := us(p); !math.IsNaN(v) {
			predicted, measured = append(predicted, v), append(measured, p.measuredUS)
		}
	}
	if len(predicted) < fewestRanked {
		return math.NaN()
	}
	return kendall(predicted, measured)
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
			signA, signB := sign(a[i]-a[k]), sign(b[i]-b[k])
			balance += signA * signB
			freeA += signA * signA
			freeB += signB * signB
		}
	}
	return balance / math.Sqrt(freeA*freeB)
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// sortRows puts the candidates first, in their order, then other
// implementations by name, and the kinds of call of each in the order of type,
// operand and returned values.
func sortRows(rows []KernelRow) {
	place := func(v variant.Variant) int {
		if i := slices.Index(variant.Candidates(), v); i >= 0 {
			return i
		}
		return len(variant.Candidates())
	}
	slices.SortFunc(rows, func(a, b KernelRow) int {
		if by := place(a.Implementation) - place(b.Implementation); by != 0 {
			return by
		}
		if by := strings.Compare(a.Implementation.String(), b.Implementation.String()); by != 0 {
			return by
		}
		return recorded.CallKey{Call: a.Call}.Compare(recorded.CallKey{Call: b.Call})
	})
}
