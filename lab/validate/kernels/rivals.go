package kernels

import (
	"fmt"

	"github.com/atomtune/atomtune/lab/rivals"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// RivalLoss says what a rule's choices lose: the time of the chosen
// implementation over the best time, in measured and in simulated time, over
// the same questions. The best time is the least of variant.OnDevice and of the
// choice itself.
type RivalLoss struct {
	Rule      string `json:"rule"`
	Questions int    `json:"questions"` // streams and kinds of call
	// Unmeasured counts the choices that were not measured: their simulated time
	// stands in the measured loss.
	Unmeasured int        `json:"unmeasured"`
	Measured   model.Loss `json:"measured"`
	Simulated  model.Loss `json:"simulated"`
}

// kernelQuestion is one stream and kind of call with all times of it.
type kernelQuestion struct {
	rivals.Question
	label               string
	measured, simulated map[variant.Variant]float64
}

// kernelRule picks an implementation for a question, or says why it cannot.
type kernelRule struct {
	name string
	pick func(rivals.Question) (variant.Variant, error)
}

// kernelRules are atomtune's choice and every rival's.
func kernelRules() []kernelRule {
	return append([]kernelRule{{"atomtune", chosen}}, rivalRules()...)
}

// rivalRules are those of rivals.Rivals.
func rivalRules() []kernelRule {
	var rules []kernelRule
	for _, r := range rivals.Rivals() {
		rules = append(rules, kernelRule{r.Name, func(q rivals.Question) (variant.Variant, error) { return r.Pick(q), nil }})
	}
	return rules
}

// losses returns what the rules' choices lose. A plan that leaves out single
// calls has none.
func (g *recordedKernels) losses(rules []kernelRule, p KernelPlan, simulated map[recorded.CallKey]float64) ([]RivalLoss, error) {
	all := []RivalLoss{}
	if p.Every > 1 {
		return all, nil
	}
	questions := g.questions(p, simulated)
	for _, rule := range rules {
		l := RivalLoss{Rule: rule.name, Questions: len(questions)}
		var measured, inSimulation []float64
		for _, q := range questions {
			v, err := rule.pick(q.Question)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %s: %w", q.label, recorded.CallName(q.Call), rule.name, err)
			}
			sim, known := q.simulated[v]
			if !known {
				return nil, fmt.Errorf("%s: %s takes %s, which was not simulated", q.label, rule.name, v)
			}
			us, known := q.measured[v]
			if !known {
				us = sim
				l.Unmeasured++
			}
			measured = append(measured, us/min(us, recorded.Best(q.measured)))
			inSimulation = append(inSimulation, sim/min(sim, recorded.Best(q.simulated)))
		}
		l.Measured, l.Simulated = model.LossOf(measured), model.LossOf(inSimulation)
		all = append(all, l)
	}
	return all, nil
}

// questions are the streams and kinds of call without returned values of which
// every measured implementation was simulated too.
func (g *recordedKernels) questions(p KernelPlan, simulated map[recorded.CallKey]float64) (list []kernelQuestion) {
	whole := true
	var q kernelQuestion
	finish := func() {
		if whole && len(q.measured) > 0 {
			list = append(list, q)
		}
	}
	for _, c := range g.planned(p) {
		if c.Call.Returns {
			continue
		}
		if c.Label != q.label || c.Call != q.Call {
			finish()
			s := g.streams[c.Label]
			q = kernelQuestion{rivals.Question{Stats: &s, Device: g.gpu, Call: c.Call}, c.Label,
				map[variant.Variant]float64{}, map[variant.Variant]float64{}}
			whole = true
		}
		if c.measuredUS > 0 {
			q.measured[c.Implementation] = c.measuredUS
		}
		q.simulated[c.Implementation] = simulated[c.CallKey]
		whole = whole && simulated[c.CallKey] > 0
	}
	finish()
	return list
}

// chosen is atomtune's own choice.
func chosen(q rivals.Question) (variant.Variant, error) {
	d, err := tuner.Choose(q.Stats, q.Device, tuner.Options{Call: q.Call, Only: variant.OnDevice()})
	if err != nil {
		return variant.Variant{}, err
	}
	return d.Choice.Implementation, nil
}
