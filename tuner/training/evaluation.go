package training

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/tuner/model"
)

// evaluate measures choices on the training points. inside says by variant and sample
// whether an interval held the time.
func (t *Training) evaluate(sweepOut, familyOut *heldOut, inside [][]bool,
	screen float64) model.Evaluation {
	loss := func(want func(*Sample) bool, correction func(v, i int) float64) model.Loss {
		return model.Summarize(lossesOf(t.Choices(t.places(want), correction)))
	}
	all := func(*Sample) bool { return true }
	e := model.Evaluation{
		HeldOut:    loss(all, sweepOut.value),
		FamilyOut:  loss(all, familyOut.value),
		ClosedForm: loss(all, func(int, int) float64 { return 0 }),
		Naive:      model.Summarize(t.naiveLosses()),
		Complete:   loss(func(s *Sample) bool { return s.Complete }, familyOut.value),
		Screening:  model.Summarize(t.screeningLosses(screen)),
		Families:   []model.FamilyLoss{},
	}
	for _, name := range t.Families {
		own := func(s *Sample) bool { return s.Family == name }
		e.Families = append(e.Families, model.FamilyLoss{Family: name, Loss: loss(own, familyOut.value)})
	}
	family := t.Choices(t.places(all), familyOut.value)
	e.Coverage, e.ChoiceCoverage = t.coverage(inside, family)
	return e
}

// places returns the numbers of the samples that want accepts.
func (t *Training) places(want func(*Sample) bool) []int {
	var list []int
	for i := range t.Samples {
		if want(&t.Samples[i]) {
			list = append(list, i)
		}
	}
	return list
}

// Chosen is the outcome of a choice on one sample.
type Chosen struct {
	Variant int
	LogLoss float64 // ln of its time over the best time
}

// Choices takes, for each sample, the simulated implementation of the shortest corrected
// time, of equal ones the first.
func (t *Training) Choices(samples []int, correction func(v, i int) float64) []Chosen {
	list := make([]Chosen, len(samples))
	for j, i := range samples {
		list[j] = t.Samples[i].choose(func(v int) float64 { return correction(v, i) })
	}
	return list
}

func (s *Sample) choose(correction func(v int) float64) Chosen {
	c := Chosen{Variant: -1}
	least := math.Inf(1)
	for v := range s.Target {
		if !s.Has(v) {
			continue
		}
		if us := s.Closed[v] * math.Exp(correction(v)); us < least {
			c.Variant, least = v, us
		}
	}
	c.LogLoss = math.Log(s.Simulated[c.Variant] / s.Best())
	return c
}

func lossesOf(list []Chosen) []float64 {
	logs := make([]float64, len(list))
	for i, c := range list {
		logs[i] = c.LogLoss
	}
	return logs
}

// naiveLosses returns the losses of always taking the first candidate, naive,
// over the samples on which it ran.
func (t *Training) naiveLosses() []float64 {
	var logs []float64
	for i := range t.Samples {
		s := &t.Samples[i]
		if s.Has(0) {
			logs = append(logs, math.Log(s.Simulated[0]/s.Best()))
		}
	}
	return logs
}

// screeningLosses returns, for each complete sample, ln of the best time of what screening
// lets through over the best time of all.
func (t *Training) screeningLosses(screen float64) []float64 {
	var logs []float64
	for i := range t.Samples {
		s := &t.Samples[i]
		if !s.Complete {
			continue
		}
		least := math.Inf(1)
		for v, us := range s.Closed {
			if s.Has(v) {
				least = min(least, us)
			}
		}
		best := math.Inf(1)
		for v, us := range s.Closed {
			if s.Has(v) && (screen == 0 || us <= screen*least) {
				best = min(best, s.Simulated[v])
			}
		}
		logs = append(logs, math.Log(best/s.Best()))
	}
	return logs
}

// coverage returns the share of times that their interval holds: of all
// implementations with trees, and of those chosen.
func (t *Training) coverage(inside [][]bool, chosen []Chosen) (all, choice float64) {
	var held, rows, heldChoice, choices float64
	for i := range t.Samples {
		for v := range t.Variants {
			if inside[v] == nil || !t.Samples[i].Has(v) {
				continue
			}
			in := 0.0
			if inside[v][i] {
				in = 1
			}
			held, rows = held+in, rows+1
			if chosen[i].Variant == v {
				heldChoice, choices = heldChoice+in, choices+1
			}
		}
	}
	return held / max(1, rows), heldChoice / max(1, choices)
}

// nominal is the share of times that an interval is to hold.
const nominal = 0.9

// tails are the shares of residuals beyond either end of an interval that are tried, and
// widening the factor of the ends where even the extremes hold too few.
var tails = [...]float64{0.05, 0.04, 0.03, 0.02, 0.015, 0.01, 0.005, 0}

const (
	widening = 1.1
	maxWider = 50 // times
)

// interval returns the ends, over the residual's scale, of the narrowest interval tried that
// holds the nominal share of the samples when its ends come from other families, and whether
// it holds each sample.
func (t *Training) interval(v int, rows []int, h *heldOut, rmse float64) (low, high float64,
	inside []bool) {
	residual := make([]float64, len(rows)) // over its scale
	family := make([]string, len(rows))
	for j, i := range rows {
		value, leaf := h.correction(v, i)
		family[j] = t.Samples[i].Family
		if s := model.Scale(leaf, rmse); s > 0 {
			residual[j] = (t.Samples[i].Target[v] - value) / s
		}
	}
	sorted := others(residual, family)
	held := make([]bool, len(rows))
	try := func(tail, wider float64) bool {
		count := 0
		for j, r := range residual {
			low, high := ends(sorted[family[j]], tail, wider)
			if held[j] = r >= low && r <= high; held[j] {
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
	low, high = ends(slices.Sorted(slices.Values(residual)), tail, wider)
	inside = make([]bool, len(t.Samples))
	for j, i := range rows {
		inside[i] = held[j]
	}
	return max(low, -model.MaxLogFactor), min(high, model.MaxLogFactor), inside
}

// others returns, for each family, the sorted values of all other families.
func others(values []float64, family []string) map[string][]float64 {
	sorted := map[string][]float64{}
	for _, f := range family {
		if _, ok := sorted[f]; ok {
			continue
		}
		var rest []float64
		for j, v := range values {
			if family[j] != f {
				rest = append(rest, v)
			}
		}
		slices.Sort(rest)
		sorted[f] = rest
	}
	return sorted
}

// ends returns the quantiles that leave a tail on either side, taken to hold the
// prediction itself.
func ends(sorted []float64, tail, wider float64) (low, high float64) {
	if len(sorted) == 0 {
		return 0, 0
	}
	return math.Min(0, model.Quantile(sorted, tail)) * wider, math.Max(0,
		model.Quantile(sorted, 1-tail)) * wider
}
