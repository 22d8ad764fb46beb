package training

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/internal/portable"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/tuner/model"
)

// A correction returns ln(predicted/closed) of a variant on a sample.
type correction func(v, i int) float64

// uncorrected leaves the closed forms.
func uncorrected(v, i int) float64 { return 0 }

// A score says how a variant fares on a sample: the least is chosen.
type score func(i, v int) float64

// corrected scores by the closed form's time and a correction.
func (t *Training) corrected(by correction) score {
	return func(i, v int) float64 { return t.Samples[i].Closed[v] * portable.Exp(by(v, i)) }
}

// choose returns the simulated implementation of least score on a sample, of equal ones the
// first, and ln of its time over the best time.
func (t *Training) choose(i int, by score) (chosen int, loss float64) {
	s, least := &t.Samples[i], math.Inf(1)
	for v := range t.Variants {
		if !s.Has(v) {
			continue
		}
		if at := by(i, v); at < least {
			chosen, least = v, at
		}
	}
	return chosen, portable.Log(s.Simulated[chosen] / s.Best())
}

// losses returns the losses of the choices by a score on the samples that want accepts.
func (t *Training) losses(want func(*Sample) bool, by score) (list []float64) {
	for i := range t.Samples {
		if want(&t.Samples[i]) {
			_, loss := t.choose(i, by)
			list = append(list, loss)
		}
	}
	return list
}

func all(*Sample) bool { return true }

// evaluate measures choices on the training points. inside says by variant and sample
// whether an interval held the time.
func (t *Training) evaluate(sweepOut, familyOut *heldOut, inside [][]bool,
	screen float64) model.Evaluation {
	loss := func(want func(*Sample) bool, by score) model.Loss {
		return model.Summarize(t.losses(want, by))
	}
	naive := func(s *Sample) bool { return s.Has(0) }
	complete := func(s *Sample) bool { return s.Complete }
	unseen := t.corrected(familyOut.value)
	e := model.Evaluation{
		HeldOut:    loss(all, t.corrected(sweepOut.value)),
		FamilyOut:  loss(all, unseen),
		ClosedForm: loss(all, t.corrected(uncorrected)),
		Naive:      loss(naive, func(_, v int) float64 { return float64(v) }),
		Complete:   loss(complete, unseen),
		Screening:  loss(complete, t.screened(screen)),
		Families:   []model.FamilyLoss{},
	}
	for _, name := range t.Families {
		own := func(s *Sample) bool { return s.Family == name }
		e.Families = append(e.Families, model.FamilyLoss{Family: name, Loss: loss(own, unseen)})
	}
	e.Coverage, e.ChoiceCoverage = t.coverage(inside, unseen)
	return e
}

// screened scores by the simulated time of what screening lets through.
func (t *Training) screened(screen float64) score {
	return func(i, v int) float64 {
		s, least := &t.Samples[i], math.Inf(1)
		for w, us := range s.Closed {
			if s.Has(w) {
				least = min(least, us)
			}
		}
		if screen != 0 && s.Closed[v] > screen*least {
			return math.Inf(1)
		}
		return s.Simulated[v]
	}
}

// coverage returns the share of times that their interval holds: of all
// implementations with trees, and of those chosen.
func (t *Training) coverage(inside [][]bool, by score) (all, choice float64) {
	var held, rows [2]float64 // of all, and of the choices
	for i := range t.Samples {
		chosen, _ := t.choose(i, by)
		for v, in := range inside {
			if in == nil || !t.Samples[i].Has(v) {
				continue
			}
			for k, counts := range []bool{true, chosen == v} {
				if counts {
					rows[k]++
				}
				if counts && in[i] {
					held[k]++
				}
			}
		}
	}
	return held[0] / max(1, rows[0]), held[1] / max(1, rows[1])
}

const (
	// nominal is the share of times that an interval is to hold.
	nominal = 0.9
	// widening is the factor of the ends, maxWider times at most, where even the extremes hold
	// too few.
	widening = 1.1
	maxWider = 50
)

// tails are the shares of residuals beyond either end of an interval that are tried.
var tails = [...]float64{0.05, 0.04, 0.03, 0.02, 0.015, 0.01, 0.005, 0}

// interval returns the ends, over the residual's scale, of the narrowest interval tried that
// holds the nominal share of the samples when its ends come from other families, and whether
// it holds each sample.
func (t *Training) interval(v int, rows []int, h *heldOut, rmse float64) (low, high float64,
	inside []bool) {
	residual := make([]float64, len(rows)) // over its scale
	for j, i := range rows {
		value, leaf := h.correction(v, i)
		if s := model.Scale(leaf, rmse); s > 0 {
			residual[j] = (t.Samples[i].Target[v] - value) / s
		}
	}
	rest := map[string][]float64{} // sorted, of all families but that one; under "" of all
	for _, family := range append([]string{""}, t.Families...) {
		for j, i := range rows {
			if t.Samples[i].Family != family {
				rest[family] = append(rest[family], residual[j])
			}
		}
		slices.Sort(rest[family])
	}
	inside = make([]bool, len(t.Samples))
	try := func(tail, wider float64) bool {
		count := 0
		for j, i := range rows {
			low, high := ends(rest[t.Samples[i].Family], tail, wider)
			if inside[i] = residual[j] >= low && residual[j] <= high; inside[i] {
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
	low, high = ends(rest[""], tail, wider)
	return max(low, -model.MaxLogFactor), min(high, model.MaxLogFactor), inside
}

// ends returns the quantiles that leave a tail on either side, taken to hold the
// prediction itself.
func ends(sorted []float64, tail, wider float64) (low, high float64) {
	if len(sorted) == 0 {
		return 0, 0
	}
	return min(0, quantile.Sorted(sorted, tail)) * wider,
		max(0, quantile.Sorted(sorted, 1-tail)) * wider
}
