package grow

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/model"
)

// evaluate says what choices lose. held are those of trees that had not seen the family.
func (r *rows) evaluate(t grown, held []choice) dispatch.Evaluation {
	n := len(r.x)
	known, best, one := make([]choice, n), make([]choice, n), make([]choice, n)
	for row, x := range r.x {
		known[row] = t.choose(x)
		least := math.Inf(1)
		for _, m := range []mode{sampled, followed} {
			for a, logs := range r.logs[m] {
				if logs[row] < least {
					best[row], least = choice{a, m}, logs[row]
				}
			}
		}
	}
	least := math.Inf(1)
	for a := range r.logs[settled] {
		always := slices.Repeat([]choice{{a, settled}}, n)
		if loss := r.lossOf(always); loss < least {
			least, one = loss, always
		}
	}
	return dispatch.Evaluation{Calls: n, Known: r.distribution(known),
		FamilyOut: r.distribution(held), Actions: r.distribution(best),
		OneAction: r.distribution(one)}
}

// distribution is that of the losses of a choice for each row, to four digits behind the point.
func (r *rows) distribution(chosen []choice) dispatch.Loss {
	logs := make([]float64, len(chosen))
	for row, c := range chosen {
		logs[row] = r.logs[c.mode][c.action][row]
	}
	l := model.Summarize(logs)
	short := func(v float64) float64 { return math.Round(v*1e4) / 1e4 }
	return dispatch.Loss{GeometricMean: short(l.GeometricMean), P90: short(l.P90),
		Max: short(l.Max)}
}
