// Package quantile has the one definition of quantiles that are not order statistics.
package quantile

import "slices"

// Sorted returns the p-quantile of sorted values, of which there is one at least, by linear
// interpolation between order statistics (type 7 of Hyndman and Fan): of an even number of values
// the 0.5-quantile lies half-way between the two in the middle.
func Sorted(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	next := min(i+1, len(sorted)-1)
	return min(sorted[next], sorted[i]+(sorted[next]-sorted[i])*(at-float64(i)))
}

// Of is Sorted of values in any order, which stay as they are.
func Of(values []float64, p float64) float64 {
	return Sorted(slices.Sorted(slices.Values(values)), p)
}
