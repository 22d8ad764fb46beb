package calibration

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/atomtune/atomtune/calibration/regression"
	"github.com/atomtune/atomtune/datasets/recordings"
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
		squares += e * e
	}
	l.residuals = Summarise(errs)
	scatter := math.Sqrt(squares / float64(max(1, len(y)-len(l.b))))
	rng := seeded(name)
	l.intervals = intervals(draws, l.b, func() []float64 {
		r, _ := nonNegative(design, redrawn(l.y, scatter, rng))
		return r.B
	})
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
		values[i] = r.Value * max(0.01, 1+math.Hypot(scatter, r.relative())*rng.NormFloat64())
	}
	return values
}

func seeded(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), 17))
}

// intervals repeats an estimate on data that are drawn anew so many times. It returns the 2.5th and 97.5th
// percentile of each of its numbers, widened to their values.
func intervals(times int, values []float64, again func() []float64) (list []Interval) {
	drawn := make([][]float64, len(values))
	for range times {
		for j, v := range again() {
			drawn[j] = append(drawn[j], v)
		}
	}
	for j, sorted := range drawn {
		slices.Sort(sorted)
		at := func(q float64) float64 { return sorted[int(q*float64(len(sorted)-1)+0.5)] }
		list = append(list, Interval{min(at(0.025), values[j]), max(at(0.975), values[j])})
	}
	return list
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
	drawn := intervals(draws, []float64{value}, func() []float64 {
		for i := range list {
			r := rows[rng.IntN(len(rows))]
			list[i] = r.Value * (1 + r.relative()*rng.NormFloat64())
		}
		return []float64{quantile.Of(list, 0.5)}
	})
	return estimate{value: value, interval: drawn[0], once: once(rows)}
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

type reading struct {
	recordings.Reading
	parameters map[string]string
}

// number returns a parameter that is a number, or 0.
func (r reading) number(key string) float64 {
	v, _ := strconv.ParseFloat(r.parameters[key], 64)
	return v
}

// lord[n] is how many ranges of n normal readings lie to either side of the mean
// with 95 %: E. Lord, Biometrika 34, 1947, the substitute for Student's t.
var lord = map[int]float64{2: 6.353, 3: 1.304, 4: 0.717, 5: 0.507}

// interval is what the repeats show of the median with 95 %. Of n readings the least and the
// greatest hold it with probability 1 - 2^(1-n), which is enough from 6 on; of fewer the range is
// widened as for normal ones. One reading alone shows no interval, see once.
func (r reading) interval() Interval {
	half := lord[r.Repeats] * (r.High - r.Low)
	return Interval{max(0, min(r.Low, r.Value-half)), max(r.High, r.Value+half)}
}

// once reports whether any of the readings was not repeated.
func once(rows []reading) bool {
	return slices.ContainsFunc(rows, func(r reading) bool { return r.Repeats < 2 })
}

// relative is the standard deviation of the value, as a fraction of it, of which
// the interval is 95 % of a normal distribution.
func (r reading) relative() float64 {
	span := r.interval()
	return (span.High - span.Low) / r.Value / (2 * 1.96)
}

// lookup finds readings by suite, name and parameters.
type lookup struct {
	all     map[[2]string][]reading
	missing []string // what was asked for and is not there
}

func newLookup(list []recordings.Reading) (*lookup, error) {
	l := &lookup{all: map[[2]string][]reading{}}
	for _, r := range list {
		if r.Value == 0 && r.Suite != "device" && r.Suite != "counters" {
			return nil, fmt.Errorf("%w: %s %s %s is 0 %s", ErrData, r.Suite, r.Name, r.Parameters, r.Unit)
		}
		parameters := map[string]string{}
		for _, word := range strings.Fields(r.Parameters) {
			key, value, ok := strings.Cut(word, "=")
			if !ok {
				return nil, fmt.Errorf("%w: %s %s: parameter %q, want key=value",
					ErrData, r.Suite, r.Name, word)
			}
			parameters[key] = value
		}
		key := [2]string{r.Suite, r.Name}
		l.all[key] = append(l.all[key], reading{r, parameters})
	}
	for _, rows := range l.all {
		slices.SortFunc(rows, func(a, b reading) int { return cmp.Compare(a.Parameters, b.Parameters) })
	}
	return l, nil
}

// rows returns the readings of that name with these parameters, `key=value`
// joined by spaces, in an order that does not depend on that of the file.
func (l *lookup) rows(suite, name, parameters string) []reading {
	words := strings.Fields(parameters)
	return where(l.all[[2]string{suite, name}], func(r reading) bool {
		for _, word := range words {
			key, value, _ := strings.Cut(word, "=")
			if r.parameters[key] != value {
				return false
			}
		}
		return true
	})
}

// need returns what rows does, and notes what is not there.
func (l *lookup) need(suite, name, parameters string) []reading {
	found := l.rows(suite, name, parameters)
	if len(found) == 0 {
		l.lack(suite, name, parameters)
	}
	return found
}

func (l *lookup) lack(suite, name, parameters string) {
	text := strings.TrimSpace(suite + " " + name + " " + parameters)
	if !slices.Contains(l.missing, text) {
		l.missing = append(l.missing, text)
	}
}

// where returns the readings that keep accepts.
func where(rows []reading, keep func(r reading) bool) (kept []reading) {
	for _, r := range rows {
		if keep(r) {
			kept = append(kept, r)
		}
	}
	return kept
}

// least returns the readings of which a figure is least.
func least(rows []reading, figure func(r reading) float64) []reading {
	best := math.Inf(1)
	for _, r := range rows {
		best = min(best, figure(r))
	}
	return where(rows, func(r reading) bool { return figure(r) == best })
}

// most returns the readings with the greatest of a parameter, such as those at most warps.
func most(rows []reading, key string) []reading {
	return least(rows, func(r reading) float64 { return -r.number(key) })
}

func (l *lookup) lacks() error {
	if len(l.missing) == 0 {
		return nil
	}
	list := strings.Join(l.missing[:min(8, len(l.missing))], "; ")
	if n := len(l.missing); n > 8 {
		list += fmt.Sprintf(" and %d more", n-8)
	}
	return fmt.Errorf("%w: there are no readings of %s", ErrData, list)
}
