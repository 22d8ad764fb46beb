package kernels

import (
	"fmt"
	"maps"
	"slices"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

// RivalLoss says what a rule's choices lose: the time of the chosen implementation over the
// best time, which is the least of impl.OnDevice and of the choice itself, over the same
// questions.
type RivalLoss struct {
	Rule      string `json:"rule"`
	Questions int    `json:"questions"` // streams and kinds of call
	// Unmeasured counts the choices that were not measured: their simulated time
	// is in the measured loss.
	Unmeasured int        `json:"unmeasured"`
	Measured   model.Loss `json:"measured"`
	Simulated  model.Loss `json:"simulated"`
}

// kernelQuestion is one stream and kind of call with all times of it.
type kernelQuestion struct {
	recorded.Question
	simulated map[impl.Spec]float64
}

// kernelRule picks an implementation for a question, or says why it cannot. measured are the
// implementations that were.
type kernelRule struct {
	name string
	pick func(q recorded.Asked, measured []impl.Spec) (impl.Spec, error)
}

// kernelRules are atomtune's choice and every rival's.
func kernelRules() []kernelRule {
	rules := []kernelRule{{"atomtune", chosen}}
	for _, r := range recorded.Rivals() {
		rules = append(rules, kernelRule{r.Name,
			func(q recorded.Asked, _ []impl.Spec) (impl.Spec, error) { return r.Pick(q), nil }})
	}
	return rules
}

// chosen is atomtune's own choice, among what was measured.
func chosen(q recorded.Asked, measured []impl.Spec) (impl.Spec, error) {
	c, err := tuner.New(q.Device, tuner.Options{Call: q.Call, Calls: recorded.Again, Only: measured})
	if err != nil {
		return impl.Spec{}, err
	}
	p, err := c.Pick(q.Stats)
	return p.Implementation, err
}

// losses returns what the rules' choices lose. A plan that leaves out single
// calls has none.
func (g *recordedKernels) losses(
	rules []kernelRule, p KernelPlan, simulated callTimes,
) ([]RivalLoss, error) {
	all := []RivalLoss{}
	if p.Every > 1 {
		return all, nil
	}
	questions := g.questions(p, simulated)
	var plain []recorded.Question
	for _, q := range questions {
		plain = append(plain, q.Question)
	}
	ranked, _ := recorded.Measured(plain)
	for _, rule := range rules {
		l := RivalLoss{Rule: rule.name, Questions: len(questions)}
		var measured, inSimulation []float64
		for _, q := range questions {
			v, err := rule.pick(q.Asked, ranked)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %s: %w", q.Label, q.Kind(), rule.name, err)
			}
			sim, known := q.simulated[v]
			if !known {
				return nil, fmt.Errorf("%s: %s takes %s, which was not simulated", q.Label, rule.name, v)
			}
			us, known := q.US[v]
			if !known {
				us = sim
				l.Unmeasured++
			}
			measured = append(measured, us/min(us, q.Best()))
			inSimulation = append(inSimulation, sim/min(sim, recorded.Best(q.simulated)))
		}
		l.Measured, l.Simulated = model.LossOf(measured), model.LossOf(inSimulation)
		all = append(all, l)
	}
	return all, nil
}

// questions are the streams and kinds of call without returned values of which
// every measured implementation was simulated too.
func (g *recordedKernels) questions(p KernelPlan, simulated callTimes) (list []kernelQuestion) {
	for _, c := range g.plannedStreams(p) {
		if c.Call.Returns {
			continue
		}
		if n := len(list); n == 0 || c.Label != list[n-1].Label || c.Call != list[n-1].Call {
			s := g.streams[c.Label]
			list = append(list, kernelQuestion{
				recorded.Question{Asked: recorded.Asked{Stats: &s, Device: g.gpu, Call: c.Call},
					Label: c.Label, US: map[impl.Spec]float64{}}, map[impl.Spec]float64{}})
		}
		q := &list[len(list)-1]
		if c.measuredUS > 0 {
			q.US[c.Implementation] = c.measuredUS
		}
		q.simulated[c.Implementation] = simulated[c.CallKey]
	}
	return slices.DeleteFunc(list, func(q kernelQuestion) bool {
		return len(q.US) == 0 || slices.Contains(slices.Collect(maps.Values(q.simulated)), 0)
	})
}
