package locks

import (
	"math"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// Choices says what choices lose by one rule: the simulated time of the choice over that of the
// best implementation that was simulated.
type Choices struct {
	Device string `json:"device"`
	Rule   string `json:"rule"`
	model.Loss
	// Worst is the point on which most is lost.
	Worst WorstChoice `json:"worst"`
}

// WorstChoice is a point with the implementation that was chosen and the best one.
type WorstChoice struct {
	Stream synth.Spec      `json:"stream"`
	Type   device.Type     `json:"type"`
	Choice variant.Variant `json:"choice"`
	Best   variant.Variant `json:"best"`
}

// The rules that choices are made by.
const (
	closedForms = "closed forms alone"
	withTrees   = "with trees, families held out"
)

// choices sums up what closed forms lose, and trees by their corrections.
func (s *sweep) choices(by [][]float64) []Choices {
	return []Choices{
		s.chosen(closedForms, func(v, i int) float64 { return s.Samples[i].Closed[v] }),
		s.chosen(withTrees, func(v, i int) float64 {
			return s.Samples[i].Closed[v] * math.Exp(by[v][i])
		}),
	}
}

// chosen sums up what is lost by choosing the least of the predicted times; of equals the first.
func (s *sweep) chosen(rule string, us func(v, i int) float64) Choices {
	c, logs, most := Choices{Device: s.device, Rule: rule}, []float64{}, -1.0
	for i := range s.Samples {
		one := &s.Samples[i]
		choice, best := -1, -1
		for v := range s.Variants {
			switch {
			case !one.Has(v):
				continue
			case choice < 0:
				choice, best = v, v
			}
			if us(v, i) < us(choice, i) {
				choice = v
			}
			if one.Simulated[v] < one.Simulated[best] {
				best = v
			}
		}
		loss := math.Log(one.Simulated[choice] / one.Simulated[best])
		if logs = append(logs, loss); loss > most {
			most = loss
			c.Worst = WorstChoice{s.specs[i], s.types[i], s.Variants[choice], s.Variants[best]}
		}
	}
	c.Loss = model.Summarize(logs)
	return c
}

// choiceChecks holds a device's choices with trees to their limits.
func choiceChecks(c []Choices) []validate.Check {
	closed, trees := c[0], c[1]
	check := func(figure string, value, limit float64) validate.Check {
		return validate.AtMost(trees.Device+": time of the choice over the best, "+withTrees+", "+
			figure, value, limit, validate.UnitTimes, trees.Points)
	}
	return []validate.Check{
		check("geometric mean", trees.GeometricMean, meanLoss),
		check("90th percentile", trees.P90, p90Loss),
		check("maximum, against that of the closed forms", trees.Max, closed.Max),
	}
}
