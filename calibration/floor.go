package calibration

import (
	"cmp"
	"math"
	"slices"

	"github.com/atomtune/atomtune/calibration/regression"
	"github.com/atomtune/atomtune/latency"
)

// contenders fits the structures that may be the best or do as well, in their order, and leaves out
// those whose floor shows that they are neither: rank and alternatives say the same of the contenders
// as of all.
func contenders(data rows, all []latency.Structure) []*candidate {
	candidates := fitAll(data, all, func(*candidate) {})
	floors := floorsOf(candidates, data.cycles)
	raise := func(noise float64) {
		for i, c := range candidates {
			if c.errs == nil {
				floors[i].raise(noise)
			}
		}
	}
	noise, limit := regression.LeastScale, math.Inf(1)
	raise(noise)
	for fitted := []*candidate(nil); ; {
		next := -1
		for i, c := range candidates {
			if f := floors[i]; c.errs == nil && (f.quieter || f.loss <= limit) &&
				(next < 0 || f.loss < floors[next].loss) {
				next = i
			}
		}
		if next < 0 {
			return slices.DeleteFunc(candidates, func(c *candidate) bool { return c.errs == nil })
		}
		candidates[next].fit()
		fitted = append(fitted, candidates[next])
		limit = rank(fitted).penalised() + margin
		if is := noiseOf(fitted); is != noise {
			noise = is
			raise(noise)
		}
	}
}

// floor is what the loss of a structure is at least, whatever its constants: rows in which it counts
// the same are predicted the same, but took different cycles.
type floor struct {
	cycles  [][]float64 // by row of the design, ascending
	rows    int
	loss    float64 // of all rows, as lossOf has it of one
	quieter bool    // its errors may be smaller in the middle than the noise
}

func floorsOf(all []*candidate, cycles []float64) []floor {
	rising := make([]int, len(cycles)) // rows
	for i := range rising {
		rising[i] = i
	}
	slices.SortFunc(rising, func(i, k int) int { return cmp.Compare(cycles[i], cycles[k]) })
	floors := make([]floor, len(all))
	for k, c := range all {
		by := make([][]float64, len(c.X))
		for _, i := range rising {
			by[c.Of[i]] = append(by[c.Of[i]], cycles[i])
		}
		floors[k] = floor{cycles: by, rows: len(cycles)}
	}
	return floors
}

// raise finds the floor at a noise: rows with an error of more than k times the noise have a loss of k²
// or more, and those beyond 4 times of 16.
func (f *floor) raise(noise float64) {
	f.loss = 0
	for k := 1.0; k <= 4; k++ {
		f.loss += (2*k - 1) * float64(f.rows-f.within(k*noise))
	}
	f.loss *= 1 - 1e-9 // what rounding adds
	f.quieter = noise > regression.LeastScale && f.within(noise/regression.MedianScale) > (f.rows-1)/2
}

// within returns how many rows can have a relative error of at most e: of rows that are predicted the
// same, the most that one prediction reaches.
func (f *floor) within(e float64) int {
	e += 1e-12 // what rounding adds
	sum := 0
	for _, cycles := range f.cycles {
		most, first := 0, 0
		for last, c := range cycles {
			for cycles[first]*(1+e) < c*(1-e) {
				first++
			}
			most = max(most, last-first+1)
		}
		sum += most
	}
	return sum
}
