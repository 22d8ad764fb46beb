package calibration

import (
	"context"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/tuner/model"
)

// judged is what became of some points: ln of the loss and ln(measured/predicted)
// of each choice, and the latter of every implementation.
type judged struct{ losses, choices, all []float64 }

// together joins the judgements of all folds.
func together(folds []judged) (all judged) {
	for _, j := range folds {
		all.losses = append(all.losses, j.losses...)
		all.choices = append(all.choices, j.choices...)
		all.all = append(all.all, j.all...)
	}
	return all
}

// Folds is a usual number of folds.
const Folds = 10

// selection is the growth chosen, with the judgements before and after, by fold.
type selection struct {
	growth                   growth
	before, after            []judged
	low, high                float64 // of the intervals, ln; both 0: not renewed
	coverage, choiceCoverage float64
}

// selectGrowth judges every growth by cross-validation. It takes the one of least root mean
// square error, the simpler one of equals.
func (t *measured) selectGrowth(ctx context.Context, folds int) (s selection, err error) {
	fold, folds := t.folds(folds)
	list := growths()
	all := make([][]judged, len(list))
	for i := range all {
		all[i] = make([]judged, folds)
	}
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for f := range folds {
		g.Go(func() error {
			for i, to := range list {
				if err := within.Err(); err != nil {
					return err
				}
				all[i][f] = t.judgeFold(fold, f, to)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return s, err
	}
	best, least := 0, math.Inf(1)
	for i := range list {
		if rmse := together(all[i]).fidelity().RMSE; rmse < least {
			best, least = i, rmse
		}
	}
	s = selection{growth: list[best], before: all[0], after: all[best]}
	if len(t.points) >= leastForIntervals {
		s.interval()
	}
	return s, nil
}

// judgeFold judges the points of a fold by what was grown from the others.
func (t *measured) judgeFold(fold []int, f int, to growth) judged {
	rest := t.rows(func(s int) bool { return fold[s] != f })
	return t.judge(t.rows(func(s int) bool { return fold[s] == f }), t.grow(rest, to))
}

// folds deals whole families to folds, in the order of their names, or whole streams where
// there are fewer families than folds.
func (t *measured) folds(most int) (fold []int, n int) {
	fold = make([]int, t.streams)
	families := slices.Compact(slices.Sorted(slices.Values(t.family)))
	if len(families) < most {
		for s := range fold {
			fold[s] = s % most
		}
		return fold, min(most, t.streams)
	}
	for s, family := range t.family {
		place, _ := slices.BinarySearch(families, family)
		fold[s] = place % most
	}
	return fold, most
}

// judge judges points by a correction, nil for none. Where candidates were measured, the
// choice is among them.
func (t *measured) judge(rows []int, by *model.Forest) (j judged) {
	logs, places := make([]float64, len(t.variants)), make([]int, len(t.variants))
	for v := range places {
		places[v] = v
	}
	for _, row := range rows {
		p := &t.points[row]
		if by != nil {
			by.Corrections(p.x, places, logs)
		}
		t.judgePoint(p, logs, &j)
	}
	return j
}

// judgePoint adds the outcome of one point.
func (t *measured) judgePoint(p *measuredPoint, logs []float64, j *judged) {
	predicted := func(v int) float64 {
		return model.Total(p.of[v].base, math.Exp(logs[v]), p.of[v].host)
	}
	plain := predicted(0) // naive is the first of the variants
	chosen, least, best := -1, math.Inf(1), math.Inf(1)
	for v, m := range p.of {
		if !m.measured() {
			continue
		}
		j.all = append(j.all, math.Log(m.us/m.base)-logs[v])
		if v >= t.ranked && chosen >= 0 {
			continue
		}
		if us := predicted(v); us < least && !(m.behind && us < plain) {
			chosen, least = v, us
		}
		best = min(best, m.us+m.host)
	}
	m := p.of[chosen]
	j.losses = append(j.losses, math.Log((m.us+m.host)/best))
	j.choices = append(j.choices, math.Log(m.us/m.base)-logs[chosen])
}

// fidelity sums up.
func (j judged) fidelity() model.Fidelity {
	squares, size := 0.0, 0.0
	for _, e := range j.all {
		squares += float64(e * e)
	}
	for _, e := range j.choices {
		size += math.Abs(e)
	}
	return model.Fidelity{RMSE: math.Sqrt(squares / float64(max(1, len(j.all)))),
		Loss: model.Summarize(j.losses), MeanError: math.Expm1(size / float64(max(1, len(j.choices))))}
}

// report is the calibration as the model keeps it.
func (s *selection) report(t *measured, f *model.Forest) *model.Calibration {
	c := &model.Calibration{
		Streams: t.streams, Hash: t.hash, Trees: s.growth.trees, Apart: s.growth.apart,
		Before: together(s.before).fidelity(), After: together(s.after).fidelity(),
		Renewed: s.low < s.high, Low: s.low, High: s.high,
		Coverage: s.coverage, ChoiceCoverage: s.choiceCoverage,
	}
	if f != nil {
		for i := range f.Trees {
			c.Leaves = max(c.Leaves, len(f.Trees[i].Leaves))
		}
	}
	c.Ranks = c.After.Loss.NoWorse(c.Before.Loss)
	return c
}

const (
	// leastForIntervals is the number of points from which on intervals are those of measured points.
	leastForIntervals = 20
	nominal           = 0.9 // the share of times that an interval is to hold
)

// tails are the shares of residuals beyond either end of an interval that are tried.
var tails = [...]float64{0.05, 0.04, 0.03, 0.02, 0.015, 0.01, 0.005, 0}

// interval sets the ends of the narrowest interval tried that holds the nominal share of times,
// of all implementations and of the choices, when its ends come from the other folds. Without
// any, intervals are not renewed.
func (s *selection) interval() {
	rest := make([][]float64, len(s.after)) // residuals of all other folds, sorted
	for f := range rest {
		others := slices.Concat(s.after[:f], s.after[f+1:])
		rest[f] = slices.Sorted(slices.Values(together(others).all))
		if len(rest[f]) == 0 {
			return
		}
	}
	all := slices.Sorted(slices.Values(together(s.after).all))
	for _, tail := range tails {
		var held, count [2]float64 // of all, and of the choices
		for f, j := range s.after {
			low, high := ends(rest[f], tail)
			for k, list := range [][]float64{j.all, j.choices} {
				for _, e := range list {
					count[k]++
					if e >= low && e <= high {
						held[k]++
					}
				}
			}
		}
		s.coverage, s.choiceCoverage = held[0]/count[0], held[1]/count[1]
		if min(s.coverage, s.choiceCoverage) >= nominal {
			s.low, s.high = ends(all, tail)
			return
		}
	}
	s.coverage, s.choiceCoverage = 0, 0
}

// ends returns the quantiles that leave a tail on either side, taken to hold the
// prediction itself.
func ends(sorted []float64, tail float64) (low, high float64) {
	return min(0, quantile.Sorted(sorted, tail)), max(0, quantile.Sorted(sorted, 1-tail))
}
