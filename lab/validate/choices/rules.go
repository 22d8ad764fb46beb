package choices

import (
	"maps"
	"math"
	"slices"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/model"
)

// RuleLoss says what a rule's choices lose: the measured time of the chosen
// implementation over the least of impl.OnDevice and of the choice itself.
type RuleLoss struct {
	Rule string `json:"rule"`
	// Unmeasured counts the choices that were not measured: they are in no loss.
	Unmeasured int        `json:"unmeasured"`
	Loss       model.Loss `json:"loss"`
	losses     []float64  // of all, sorted
}

// GroupLoss is what the choices of atomtune and of its closed forms lose on the
// streams of one family, or in one kind of call.
type GroupLoss struct {
	Group      string     `json:"group"`
	Choice     model.Loss `json:"choice"`
	ClosedForm model.Loss `json:"closed_form"`
}

// loss is the time of a choice over the best time, NaN where the choice was not
// measured.
func (a *tunerAnswer) loss(v impl.Spec) float64 {
	us, measured := a.US[v]
	if !measured {
		return math.NaN()
	}
	return us / min(us, a.Best())
}

// onceLoss is what choices lose where indices come once, over the best that is told nothing beforehand.
func onceLoss(list []*tunerAnswer) RuleLoss {
	r := RuleLoss{Rule: "atomtune, indices come once"}
	var whole []float64
	for _, a := range list {
		best := a.once.measuredUS
		for _, f := range a.each {
			if !f.of.NeedsTargets() && !f.of.OnHost() {
				best = min(best, f.measuredUS)
			}
		}
		whole = append(whole, a.once.measuredUS/best)
	}
	r.Loss = model.LossOf(whole)
	return r
}

// ruleLosses returns what atomtune's choices lose on the answers, its closed forms, and each
// rival.
func ruleLosses(list []*tunerAnswer) (all []RuleLoss) {
	add := func(name string, pick func(a *tunerAnswer) impl.Spec) {
		r := RuleLoss{Rule: name}
		var whole []float64
		for _, a := range list {
			ratio := a.loss(pick(a))
			if math.IsNaN(ratio) {
				r.Unmeasured++
				continue
			}
			whole = append(whole, ratio)
		}
		r.Loss = model.LossOf(whole)
		r.losses = slices.Sorted(slices.Values(whole))
		all = append(all, r)
	}
	add("atomtune", func(a *tunerAnswer) impl.Spec { return a.choice.of })
	add("its closed forms alone", func(a *tunerAnswer) impl.Spec { return a.closed })
	for _, r := range recorded.Rivals() {
		add(r.Name, func(a *tunerAnswer) impl.Spec { return r.Pick(a.Asked) })
	}
	return all
}

// groupLosses returns the losses group by group, in the order of their names.
func groupLosses(list []*tunerAnswer, of func(*tunerAnswer) string) []GroupLoss {
	groups := map[string][]*tunerAnswer{}
	for _, a := range list {
		groups[of(a)] = append(groups[of(a)], a)
	}
	all := []GroupLoss{}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		rules := ruleLosses(groups[group])
		all = append(all, GroupLoss{group, rules[0].Loss, rules[1].Loss})
	}
	return all
}
