package calibration

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/atomtune/atomtune/internal/portable"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/tuner/model"
)

// judged is what became of some points: ln of the loss and ln(measured/predicted)
// of each choice, and the latter of every implementation.
type judged struct{ losses, choices, all []float64 }

// judgement judges a growth by fold, in both ways in which a model may have it: with choices by
// the corrected times, and with choices and the order of times by the base.
type judgement struct{ ranks, keeps []judged }

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

// outcome is a growth as a model has it.
type outcome struct {
	growth growth
	folds  []judged   // by fold
	ranked model.Loss // of choices by the corrected times
	ranks  bool       // choices go by them
}

// outcomeOf decides whether choices go by the corrected times, as model.Calibration says.
func outcomeOf(to growth, by judgement, before model.Loss) outcome {
	o := outcome{growth: to, folds: by.ranks, ranked: together(by.ranks).fidelity().Loss}
	if o.ranks = o.ranked.NoWorse(before); !o.ranks {
		o.folds = by.keeps
	}
	return o
}

// selection is the growth chosen, with the base's judgement.
type selection struct {
	before model.Fidelity
	outcome
	low, high                float64 // of the intervals, ln; both 0: not renewed
	coverage, choiceCoverage float64
}

// selectGrowth judges every growth by cross-validation. It takes the one of least root mean
// square error, the simpler one of equals.
func (t *measured) selectGrowth(ctx context.Context, folds int) (s selection, err error) {
	fold, folds := t.folds(folds)
	list := growths()
	all := make([]judgement, len(list))
	for i := range all {
		all[i] = judgement{make([]judged, folds), make([]judged, folds)}
	}
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for f := range folds {
		g.Go(func() error {
			for i, to := range list {
				if err := within.Err(); err != nil {
					return err
				}
				all[i].ranks[f], all[i].keeps[f] = t.judgeFold(fold, f, to)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return s, err
	}
	s.before = together(all[0].ranks).fidelity() // no correction
	least := math.Inf(1)
	for i, to := range list {
		o := outcomeOf(to, all[i], s.before.Loss)
		if rmse := together(o.folds).fidelity().RMSE; rmse < least {
			s.outcome, least = o, rmse
		}
	}
	if len(t.points) >= leastForIntervals {
		s.interval()
	}
	return s, nil
}

// judgeFold judges the points of a fold by what was grown from the others.
func (t *measured) judgeFold(fold []int, f int, to growth) (ranks, keeps judged) {
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

// judge judges points by a correction, nil for none, in both ways of a judgement.
func (t *measured) judge(rows []int, by *model.Forest) (ranks, keeps judged) {
	n := len(t.variants)
	logs, base, us, order := make([]float64, n), make([]float64, n), make([]float64, n), make([]int, n)
	var places []int
	if by != nil {
		places = by.Columns(t.variants)
	}
	for _, row := range rows {
		p := &t.points[row]
		if by != nil {
			by.Corrections(p.x, places, logs)
		}
		for v, m := range p.of {
			base[v], us[v], order[v] = m.base+m.host, model.Total(m.base, portable.Exp(logs[v]), m.host), v
		}
		t.judgePoint(p, us, us, &ranks)
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(base[a], base[b]) })
		model.KeepOrder(us, order)
		t.judgePoint(p, us, base, &keeps)
	}
	return ranks, keeps
}

// judgePoint adds the outcome of one point, with the times predicted and those that choices
// go by. Where candidates were measured, the choice is among them.
func (t *measured) judgePoint(p *measuredPoint, us, by []float64, j *judged) {
	plain := by[0] // naive is the first of the variants
	chosen, least, best := -1, math.Inf(1), math.Inf(1)
	off := func(v int) float64 { return portable.Log(p.of[v].us / (us[v] - p.of[v].host)) }
	for v, m := range p.of {
		if !m.measured() {
			continue
		}
		j.all = append(j.all, off(v))
		if v >= t.ranked && chosen >= 0 {
			continue
		}
		if by[v] < least && !(m.behind && by[v] < plain) {
			chosen, least = v, by[v]
		}
		best = min(best, m.us+m.host)
	}
	m := p.of[chosen]
	j.losses = append(j.losses, portable.Log((m.us+m.host)/best))
	j.choices = append(j.choices, off(chosen))
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
		Loss: model.Summarize(j.losses), MeanError: portable.Expm1(size / float64(max(1, len(j.choices))))}
}

// report is the calibration as the model keeps it.
func (s *selection) report(t *measured, f *model.Forest) *model.Calibration {
	c := &model.Calibration{
		Streams: t.streams, Hash: t.hash, Apart: s.growth.apart,
		Before: s.before, After: together(s.folds).fidelity(), Ranked: s.ranked, Ranks: s.ranks,
		Renewed: s.low < s.high, Low: s.low, High: s.high,
		Coverage: s.coverage, ChoiceCoverage: s.choiceCoverage,
	}
	if f != nil {
		c.Trees = len(f.Trees)
		for i := range f.Trees {
			c.Leaves = max(c.Leaves, len(f.Trees[i].Leaves))
		}
	}
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
	rest := make([][]float64, len(s.folds)) // residuals of all other folds, sorted
	for f := range rest {
		others := slices.Concat(s.folds[:f], s.folds[f+1:])
		rest[f] = slices.Sorted(slices.Values(together(others).all))
		if len(rest[f]) == 0 {
			return
		}
	}
	all := slices.Sorted(slices.Values(together(s.folds).all))
	for _, tail := range tails {
		var held, count [2]float64 // of all, and of the choices
		for f, j := range s.folds {
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
