package calibration

import (
	"context"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/atomtune/atomtune/tuner/model"
)

// judged is what became of some points: ln of the loss and ln(measured/predicted)
// of each choice, and the latter of every implementation.
type judged struct {
	streams              []int // of each choice
	losses, choices, all []float64
}

// Folds is a usual number of folds.
const Folds = 10

const mostLeaves = 64 // bounds the tree of corrections

// growths lists what is tried, the simplest first.
func growths() []growth {
	list := []growth{{}, {leaves: 1}, {leaves: 1, apart: true}}
	for _, prior := range []float64{5, 20} {
		for leaves := 2; leaves <= mostLeaves; leaves *= 2 {
			list = append(list, growth{leaves: leaves, apart: true, prior: prior})
		}
	}
	return list
}

// selection is the growth chosen, with the judgements before and after.
type selection struct {
	growth        growth
	before, after judged
	low, high     float64 // of the intervals, ln; both 0: not renewed
}

// selectGrowth judges every growth by cross-validation. Of those that do not lose more (see
// noWorse) it takes the least sum of mean ln loss and mean |ln(measured/predicted)| of the
// choice, the simpler one of equals.
func (t *measured) selectGrowth(ctx context.Context, folds int) (selection, error) {
	list := growths()
	all, err := t.crossValidate(ctx, list, min(folds, t.streams))
	if err != nil {
		return selection{}, err
	}
	best := 0
	for i := range list {
		if all[i].noWorse(&all[0], t.streams) && all[i].cost() < all[best].cost() {
			best = i
		}
	}
	s := selection{growth: list[best], before: all[0], after: all[best]}
	if len(t.points) >= leastForIntervals {
		s.low, s.high = t.interval(&all[best])
	}
	return s, nil
}

const confidence = 0.975 // of the test that a growth lowers the loss

// noWorse reports whether the mean ln loss, by Student's t over streams, lies below that of
// other judgements of the same points, or all losses are the same.
func (j *judged) noWorse(other *judged, streams int) bool {
	if streams < 2 {
		return false
	}
	more := make([]float64, streams)
	for i, s := range j.streams {
		more[s] += j.losses[i] - other.losses[i]
	}
	middle, squares, n := mean(more), 0.0, float64(streams)
	for _, y := range more {
		squares += float64((y - middle) * (y - middle))
	}
	student := distuv.StudentsT{Sigma: 1, Nu: n - 1}
	return middle+student.Quantile(confidence)*math.Sqrt(squares/((n-1)*n)) <= 0
}

// cost is what selectGrowth minimises, of which a Fidelity tells both parts.
func (j *judged) cost() float64 { return mean(j.losses) + j.off() }

// off is the mean |ln(measured/predicted)| of the choices.
func (j *judged) off() float64 {
	sizes := make([]float64, len(j.choices))
	for i, e := range j.choices {
		sizes[i] = math.Abs(e)
	}
	return mean(sizes)
}

func mean(list []float64) float64 {
	var sum float64
	for _, y := range list {
		sum += y
	}
	return sum / float64(max(1, len(list)))
}

// crossValidate judges growths. Folds take streams in turn, in the order of their labels. A
// single stream is judged by no correction.
func (t *measured) crossValidate(ctx context.Context, list []growth, folds int) ([]judged, error) {
	byFold := make([][]judged, folds)
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for f := range folds {
		g.Go(func() error {
			if within.Err() == nil {
				byFold[f] = t.judgeFold(f, folds, list)
			}
			return within.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	all := make([]judged, len(list))
	for _, fold := range byFold {
		for i, of := range fold {
			all[i].streams = append(all[i].streams, of.streams...)
			all[i].losses = append(all[i].losses, of.losses...)
			all[i].choices = append(all[i].choices, of.choices...)
			all[i].all = append(all[i].all, of.all...)
		}
	}
	return all, nil
}

// judgeFold judges every growth on one fold by trees of the others. Growths with one prior
// share a tree.
func (t *measured) judgeFold(fold, folds int, list []growth) []judged {
	held := t.rows(func(s int) bool { return s%folds == fold })
	rest := t.rows(func(s int) bool { return folds > 1 && s%folds != fold })
	trees := map[float64]*sharedTree{}
	result := make([]judged, len(list))
	for i, to := range list {
		if len(rest) == 0 {
			to = growth{}
		}
		if to.leaves > 0 && trees[to.prior] == nil {
			largest := to
			for _, other := range list {
				if other.prior == to.prior {
					largest.leaves = max(largest.leaves, other.leaves)
				}
			}
			trees[to.prior] = t.grow(rest, largest)
		}
		for _, row := range held {
			t.judge(&t.points[row], trees[to.prior], to, &result[i])
		}
	}
	return result
}

// judge adds the outcome of one point. tree is nil for no correction. Where candidates were
// measured, the choice is among them.
func (t *measured) judge(p *measuredPoint, tree *sharedTree, to growth, j *judged) {
	var values []float64
	if to.leaves > 0 {
		values = tree.at(p.x, to.leaves)
	}
	predicted := func(v int) (us, factor float64) {
		factor = to.value(values, v)
		return model.Total(p.of[v].base, math.Exp(factor), p.of[v].host), factor
	}
	plain, _ := predicted(0) // naive is the first of the variants
	chosen, least, best := -1, math.Inf(1), math.Inf(1)
	var missed float64 // by the choice
	for v, m := range p.of {
		if !m.measured() {
			continue
		}
		us, factor := predicted(v)
		off := math.Log(m.us/m.base) - factor
		j.all = append(j.all, off)
		if v >= t.ranked && chosen >= 0 {
			continue
		}
		if us < least && !(m.behind && us < plain) {
			chosen, least, missed = v, us, off
		}
		best = min(best, m.us+m.host)
	}
	j.streams = append(j.streams, p.stream)
	j.losses = append(j.losses, math.Log((p.of[chosen].us+p.of[chosen].host)/best))
	j.choices = append(j.choices, missed)
}

// fidelity sums up the choices.
func (j *judged) fidelity() model.Fidelity {
	return model.Fidelity{Loss: model.Summarize(j.losses), MeanError: math.Expm1(j.off())}
}

// report is the calibration as the model keeps it.
func (s *selection) report(t *measured) *model.Calibration {
	c := &model.Calibration{
		Streams: t.streams, Hash: t.hash,
		Leaves: s.growth.leaves, Apart: s.growth.apart, Prior: s.growth.prior,
		Before: s.before.fidelity(), After: s.after.fidelity(), Renewed: s.low < s.high,
	}
	if c.Renewed { // Coverage is the share of the held-out residuals within the interval
		n := 0
		for _, e := range s.after.all {
			if e >= min(0, s.low) && e <= max(0, s.high) {
				n++
			}
		}
		c.Coverage = float64(n) / float64(len(s.after.all))
	}
	return c
}

// leastForIntervals is the number of points from which on intervals are those of measured points.
const leastForIntervals = 20

// interval returns the ends of the central 90 % of ln(measured/predicted) in split-conformal
// form [lei18], with streams as what is exchangeable: the quantile of rank (1 +
// 1/streams)·0.95, over all implementations and over the choices, the wider one.
func (t *measured) interval(j *judged) (low, high float64) {
	for _, list := range [][]float64{j.all, j.choices} {
		sorted := slices.Sorted(slices.Values(list))
		rank := int(math.Ceil((1 + 1/float64(t.streams)) * 0.95 * float64(len(sorted))))
		rank = min(rank, len(sorted))
		low, high = min(low, sorted[len(sorted)-rank]), max(high, sorted[rank-1])
	}
	return low, high
}
