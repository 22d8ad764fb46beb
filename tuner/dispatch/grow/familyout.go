package grow

import (
	"context"
	"math"
	"slices"

	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/model"
)

// alphaStep is the factor between the costs of a leaf that are tried.
const alphaStep = 2

// alphas are the costs of a leaf among which familyOut chooses, in sums of costs.
var alphas = []float64{0.25, 0.5, 1, 2, 4, 8, 16}

// costNoise is a difference of mean costs that says nothing: of trees that are as good on other
// families the largest is taken, which knows most of its own.
const costNoise = 0.003

// familyFolds is the number of parts into which families are dealt, each of which judges the trees
// that are grown on the others.
const familyFolds = 4

// familyOut returns for each row the choice of a tree that has seen no stream of its family, and the
// least alpha with which these choices cost least, up to costNoise.
func (g *grower) familyOut(ctx context.Context) (chosen []choice, alpha float64, err error) {
	choices := make([][]choice, len(alphas))
	for k := range choices {
		choices[k] = make([]choice, len(g.x))
	}
	fold := map[string]int{}
	for i, family := range slices.Compact(slices.Sorted(slices.Values(g.family))) {
		fold[family] = i % familyFolds
	}
	for out := range min(familyFolds, len(fold)) {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		c, err := g.grow(func(row int) bool { return fold[g.family[row]] != out })
		if err != nil {
			return nil, 0, err
		}
		for k, a := range alphas {
			t := c.tree(a)
			for row, x := range g.x {
				if fold[g.family[row]] == out {
					choices[k][row] = t.choose(x)
				}
			}
		}
	}
	least := math.Inf(1)
	for k := range alphas {
		least = min(least, g.costOf(choices[k]))
	}
	best := slices.IndexFunc(choices, func(c []choice) bool { return g.costOf(c) <= least+costNoise })
	return choices[best], alphas[best], nil
}

// costOf is the mean cost of a choice for each row.
func (r *rows) costOf(chosen []choice) float64 {
	sum := 0.0
	for row, c := range chosen {
		sum += r.costs[c.mode][c.candidate][row]
	}
	return sum / float64(len(chosen))
}

// evaluate says what choices lose. held are those of trees that had not seen the family.
func (r *rows) evaluate(t grown, held []choice) dispatch.Evaluation {
	n := len(r.x)
	known, best, one := make([]choice, n), make([]choice, n), make([]choice, n)
	for row, x := range r.x {
		known[row] = t.choose(x)
		least := math.Inf(1)
		for _, m := range []mode{sampled, followed} {
			for a, costs := range r.costs[m] {
				if costs[row] < least {
					best[row], least = choice{a, m}, costs[row]
				}
			}
		}
	}
	least := math.Inf(1)
	for a := range r.us {
		always := slices.Repeat([]choice{{a, settled}}, n)
		if cost := r.costOf(always); cost < least {
			least, one = cost, always
		}
	}
	return dispatch.Evaluation{Calls: n, Known: r.distribution(known),
		FamilyOut: r.distribution(held), Candidates: r.distribution(best),
		OneCandidate: r.distribution(one)}
}

// distribution is that of the losses of a choice for each row, to four digits behind the point.
func (r *rows) distribution(chosen []choice) dispatch.Loss {
	logs := make([]float64, len(chosen))
	for row, c := range chosen {
		logs[row] = math.Log(r.wholeUS(row, c) / r.least[row])
	}
	l := model.Summarize(logs)
	short := func(v float64) float64 { return math.Round(v*1e4) / 1e4 }
	return dispatch.Loss{GeometricMean: short(l.GeometricMean), P90: short(l.P90),
		Max: short(l.Max)}
}
