package speedup

import (
	"math"
	"sort"
)

// ThresholdSR returns the smallest count x >= 1 of threads on one target for which atomic scan and
// reduce does not lose, inequality (1) of [egielski14]:
//
//	log2(x) + s <= x
//
// s is the setup overhead in reduction steps, Setup; a negative one counts as 0. For a NaN and for
// s above 2^52 the threshold is math.MaxInt.
func ThresholdSR(s float64) int {
	s = max(0, s) // keeps a NaN
	return smallest(s, func(x float64) bool { return math.Log2(x)+s <= x })
}

// ThresholdVR returns the smallest count x >= 1 of threads on one target for which atomic vote and
// reduce does not lose among n threads, inequality (2) of [egielski14]:
//
//	(n-x) + log2(x) + s <= x
//
// It exceeds n where the reduction never pays. Limits as for ThresholdSR; a negative n counts as 0.
func ThresholdVR(n int, s float64) int {
	s = max(0, s) // keeps a NaN
	all := float64(max(n, 0))
	return smallest(all+s, func(x float64) bool { return (all-x)+math.Log2(x)+s <= x })
}

// smallest returns the least whole x >= 1 that holds, by bisection. Both inequalities hold from
// some x on, 2·(overhead+2) at the latest.
func smallest(overhead float64, holds func(float64) bool) int {
	if !(overhead <= 1<<52) {
		return math.MaxInt
	}
	top := int(2 * (overhead + 2))
	return 1 + sort.Search(top, func(i int) bool { return holds(float64(i + 1)) })
}
