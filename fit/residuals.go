package fit

import (
	"math"
	"slices"
)

// Summarise returns the quantiles of the absolute values of relative errors:
// the k-th smallest of n with k = ceil(q·n).
func Summarise(errs []float64) Residuals {
	if len(errs) == 0 {
		return Residuals{}
	}
	sorted := make([]float64, len(errs))
	for i, e := range errs {
		sorted[i] = math.Abs(e)
	}
	slices.Sort(sorted)
	at := func(q float64) float64 {
		return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
	}
	return Residuals{Rows: len(errs), Median: at(0.5), P90: at(0.9), P95: at(0.95), Max: sorted[len(sorted)-1]}
}

// scaleOf is a robust standard deviation: 1.4826 times the median absolute
// value.
func scaleOf(errs []float64) float64 { return 1.4826 * Summarise(errs).Median }
