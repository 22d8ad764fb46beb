package grow

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/model"
)

// evaluate says what choices lose. held are those of trees that had not seen the family.
func (r *rows) evaluate(t *dispatch.Tree, held []int) dispatch.Evaluation {
	known, best, one := make([]int, len(r.x)), make([]int, len(r.x)), make([]int, len(r.x))
	for row, x := range r.x {
		var f dispatch.Features
		for k, v := range x {
			f[k] = uint32(v)
		}
		known[row] = int(t.Nodes[t.Find(&f)].Right)
		for a, logs := range r.logs {
			if logs[row] < r.logs[best[row]][row] {
				best[row] = a
			}
		}
	}
	least := math.Inf(1)
	for a := range r.logs {
		if loss := r.lossOf(slices.Repeat([]int{a}, len(r.x))); loss < least {
			least, one = loss, slices.Repeat([]int{a}, len(r.x))
		}
	}
	return dispatch.Evaluation{Streams: len(r.x), Known: r.distribution(known),
		FamilyOut: r.distribution(held), Actions: r.distribution(best),
		OneAction: r.distribution(one)}
}

// distribution is that of the losses of a choice for each row, to four digits behind the point.
func (r *rows) distribution(chosen []int) dispatch.Loss {
	logs := make([]float64, len(chosen))
	for row, a := range chosen {
		logs[row] = r.logs[a][row]
	}
	l := model.Summarize(logs)
	short := func(v float64) float64 { return math.Round(v*1e4) / 1e4 }
	return dispatch.Loss{GeometricMean: short(l.GeometricMean), P90: short(l.P90),
		Max: short(l.Max)}
}
