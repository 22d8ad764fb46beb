package collision

import (
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// quantiles holds what studentQuantile has returned for up to manyDegrees.
var quantiles sync.Map // of float64 by int

// manyDegrees bounds the quantiles that are kept.
const manyDegrees = 1 << 12

// studentQuantile returns the (1 + confidence)/2 quantile of Student's t with so
// many degrees of freedom. To compute one takes longer than to sort a block.
func studentQuantile(degrees int) float64 {
	if q, known := quantiles.Load(degrees); known {
		return q.(float64)
	}
	q := distuv.StudentsT{Sigma: 1, Nu: float64(degrees)}.Quantile((1 + confidence) / 2)
	if degrees <= manyDegrees {
		quantiles.Store(degrees, q)
	}
	return q
}
