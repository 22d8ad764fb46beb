package validate

import (
	"math"
	"slices"
)

// Quantile interpolates linearly between the values, which it sorts; it is NaN of
// none.
func Quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	at := q * float64(len(values)-1)
	low := int(at)
	high := min(low+1, len(values)-1)
	return values[low] + (values[high]-values[low])*(at-float64(low))
}
