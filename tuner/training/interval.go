package training

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/tuner/model"
)

// nominal is the share of times that an interval is to hold.
const nominal = 0.9

// tails are the shares of residuals beyond either end of an interval that are
// tried, and widening the factor of the ends where even the extremes of other
// families hold too few.
var tails = [...]float64{0.05, 0.04, 0.03, 0.02, 0.015, 0.01, 0.005, 0}

const (
	widening = 1.1
	maxWider = 50 // times
)

// interval returns the ends, over the residual's scale, of the narrowest interval
// tried that holds the nominal share of each family's samples in the mean when
// its ends come from the other families, and whether it does so for each sample.
func (t *Training) interval(v int, rows []int, h *heldOut, rmse float64) (low, high float64, inside []bool) {
	residual := make([]float64, len(rows)) // over its scale
	family := make([]string, len(rows))
	for j, i := range rows {
		value, leaf := h.correction(v, i)
		family[j] = t.Samples[i].Family
		if s := model.Scale(leaf, rmse); s > 0 {
			residual[j] = (t.Samples[i].Target[v] - value) / s
		}
	}
	sorted := others(residual, family)
	held := make([]bool, len(rows))
	try := func(tail, wider float64) bool {
		count := 0
		for j, r := range residual {
			low, high := ends(sorted[family[j]], tail, wider)
			if held[j] = r >= low && r <= high; held[j] {
				count++
			}
		}
		return float64(count) >= nominal*float64(len(rows))
	}
	tail, wider := 0.0, 1.0
	for _, tail = range tails {
		if try(tail, wider) {
			break
		}
	}
	for k := 0; k < maxWider && !try(tail, wider); k++ {
		wider *= widening
	}
	low, high = ends(slices.Sorted(slices.Values(residual)), tail, wider)
	inside = make([]bool, len(t.Samples))
	for j, i := range rows {
		inside[i] = held[j]
	}
	return max(low, -model.MaxLogFactor), min(high, model.MaxLogFactor), inside
}

// others returns, for each family, the sorted values of all other families.
func others(values []float64, family []string) map[string][]float64 {
	sorted := map[string][]float64{}
	for _, f := range family {
		if _, ok := sorted[f]; ok {
			continue
		}
		var rest []float64
		for j, v := range values {
			if family[j] != f {
				rest = append(rest, v)
			}
		}
		slices.Sort(rest)
		sorted[f] = rest
	}
	return sorted
}

// ends returns the quantiles that leave a tail on either side, taken to hold the
// prediction itself.
func ends(sorted []float64, tail, wider float64) (low, high float64) {
	if len(sorted) == 0 {
		return 0, 0
	}
	return math.Min(0, model.Quantile(sorted, tail)) * wider, math.Max(0, model.Quantile(sorted, 1-tail)) * wider
}
