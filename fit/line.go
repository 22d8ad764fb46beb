package fit

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/atomtune/atomtune/fit/regression"
	"github.com/atomtune/atomtune/internal/portable"
	"github.com/atomtune/atomtune/internal/quantile"
)

// line finds non-negative coefficients b that make Σ_j x[i][j]·b[j] close to
// the readings y[i] in relative terms, by least squares.
type line struct {
	x         [][]float64
	y         []reading
	b         []float64
	intervals []Interval
	residuals Residuals
	dependent []int // coefficients that the readings do not tell from those before, 0
}

// regress fits a line to the readings, by the terms of each; readings without terms are left out.
// It notes that one reading is too few; that there is none has been noted.
func (b *builder) regress(rows []reading, terms func(r reading) []float64, what, name string) line {
	var l line
	for _, r := range rows {
		if x := terms(r); x != nil {
			l.x, l.y = append(l.x, x), append(l.y, r)
		}
	}
	if len(l.y) >= 2 {
		l.solve(name)
		return l
	}
	if len(l.y) == 1 {
		b.rows.lack(what, "", "")
	}
	l.b, l.intervals = make([]float64, 9), make([]Interval, 9)
	return l
}

// over is a constant term and one that grows with a parameter.
func over(key string) func(r reading) []float64 {
	return func(r reading) []float64 { return []float64{1, r.number(key)} }
}

const draws = 400 // how often an interval's readings are drawn

// solve finds the coefficients. Their intervals come from readings drawn anew,
// each normally about the line with its own spread and that of the residuals.
// name seeds the draws, so that the same readings give the same intervals.
func (l *line) solve(name string) {
	y := valuesOf(l.y)
	design := regression.Each(l.x)
	r, dependent := nonNegative(design, y)
	l.b, l.dependent = r.B, dependent
	errs, squares := r.Errors(), 0.0
	for _, e := range errs {
		squares += float64(e * e)
	}
	l.residuals = Summarise(errs)
	scatter := math.Sqrt(squares / float64(max(1, len(y)-len(l.b))))
	rng := seeded(name)
	drawn := make([][]float64, len(l.b))
	for range draws {
		r, _ := nonNegative(design, redrawn(l.y, scatter, rng))
		for j, b := range r.B {
			drawn[j] = append(drawn[j], b)
		}
	}
	for j, list := range drawn {
		l.intervals = append(l.intervals, percentiles(list, l.b[j]))
	}
}

// coefficient is one of a line's.
func (l *line) coefficient(j int) estimate {
	return estimate{value: l.b[j], interval: l.intervals[j], residuals: &l.residuals, once: once(l.y)}
}

func valuesOf(rows []reading) []float64 {
	values := make([]float64, len(rows))
	for i, r := range rows {
		values[i] = r.Value
	}
	return values
}

// redrawn draws each reading normally about its value, with that scatter and its own.
func redrawn(rows []reading, scatter float64, rng *rand.Rand) []float64 {
	values := make([]float64, len(rows))
	for i, r := range rows {
		values[i] = r.Value * max(0.01, 1+float64(portable.Hypot(scatter, r.relative())*rng.NormFloat64()))
	}
	return values
}

func seeded(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), 17))
}

// percentiles returns the 2.5th and 97.5th percentile of a list, widened to the value itself.
func percentiles(list []float64, value float64) Interval {
	sorted := slices.Sorted(slices.Values(list))
	at := func(q float64) float64 { return sorted[int(float64(q*float64(len(sorted)-1))+0.5)] }
	return Interval{min(at(0.025), value), max(at(0.975), value)}
}

// nonNegative solves least squares of relative errors; a coefficient that would be below 0 is 0,
// the most negative one first. Those that follow from the ones before are 0 too.
func nonNegative(d regression.Design, y []float64) (r regression.Model, dependent []int) {
	r = regression.Model{Design: d, Y: y, Use: slices.Repeat([]bool{true}, len(d.X[0]))}
	dependent = r.DropDependent()
	ones := slices.Repeat([]float64{1}, len(y))
	solve := func() { r.B = r.System().Least(ones, y) }
	solve()
	r.DropNegative(solve)
	return r, dependent
}

// middle returns the median of the readings, with an interval from drawing
// readings, and each within its spread.
func middle(name string, rows []reading) estimate {
	if len(rows) == 0 {
		return estimate{}
	}
	list := valuesOf(rows)
	value := quantile.Of(list, 0.5)
	if len(rows) == 1 {
		return estimate{value: value, interval: rows[0].interval(), once: once(rows)}
	}
	rng := seeded(name)
	drawn := make([]float64, draws)
	for k := range drawn {
		for i := range list {
			r := rows[rng.IntN(len(rows))]
			list[i] = r.Value * (1 + float64(r.relative()*rng.NormFloat64()))
		}
		drawn[k] = quantile.Of(list, 0.5)
	}
	return estimate{value: value, interval: percentiles(drawn, value), once: once(rows)}
}

// Summarise returns the quantiles of the absolute values of relative errors:
// the k-th smallest of n with k = ceil(q·n).
func Summarise(errs []float64) Residuals {
	if len(errs) == 0 {
		return Residuals{}
	}
	sorted := regression.Magnitudes(errs)
	slices.Sort(sorted)
	at := func(q float64) float64 { return stat.Quantile(q, stat.Empirical, sorted, nil) }
	return Residuals{len(errs), at(0.5), at(0.9), at(0.95), at(1)}
}
