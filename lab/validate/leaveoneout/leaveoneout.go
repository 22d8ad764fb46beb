// Package leaveoneout chooses as [egielski14] does: for each input by what was learned
// from the others.
package leaveoneout

import (
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/tuner/model"
)

// OffOptimal says how far from the best the choices of a rule are that has
// learned from other inputs: "% Off Opt." of [egielski14] Tables 1 to 3.
type OffOptimal struct {
	Device string `json:"device"`
	Held   string `json:"held_out"` // with each input: its stream, or its family
	Rule   string `json:"rule"`
	Inputs int    `json:"inputs"` // streams and kinds of call
	// MeanPercent is the mean over the inputs of 100 · (t_choice/t_best - 1), WorstPercent the
	// largest, and RightPercent the share of the inputs for which the choice is as fast as the
	// best.
	MeanPercent  float64 `json:"mean_off_optimal_percent"`
	WorstPercent float64 `json:"worst_off_optimal_percent"`
	RightPercent float64 `json:"right_percent"`
}

// What is held out with an input.
const (
	heldStream = "stream"
	heldFamily = "family"
)

// input is one of a leave-one-out comparison. Times have an entry for
// each implementation of its table, NaN where it could not run.
type input struct {
	stream string // what is held out together with it
	label  string // names its own stream
	family string
	stats  *collision.Stats
	call   device.Call
	us     []float64
	closed []float64 // closed forms, in microseconds
}

// levels are the three parameters of [egielski14] section 3.3.
func (in *input) levels() []float64 {
	return []float64{in.stats.WarpLevel, in.stats.BlockLevel, in.stats.AllLevel}
}

// ran reports whether the implementation has a time.
func (in *input) ran(v int) bool { return v >= 0 && !math.IsNaN(in.us[v]) }

// least is the shortest time.
func (in *input) least() float64 { return in.us[in.fastest(in.us)] }

// fastest is the place of the least of the scores of implementations that ran,
// the first of equal ones.
func (in *input) fastest(score []float64) int {
	first := -1
	for v := range score {
		if in.ran(v) && !math.IsNaN(score[v]) && (first < 0 || score[v] < score[first]) {
			first = v
		}
	}
	return first
}

// table is a set of inputs with the implementations to choose from.
type table struct {
	profile         *device.Profile
	base            *model.Model // what has been learned without these inputs; nil: nothing
	implementations []impl.Spec
	inputs          []input
}

// allOff sums up the choices by each rule.
func (t *table) allOff() ([]OffOptimal, error) {
	var all []OffOptimal
	for _, held := range []string{heldStream, heldFamily} {
		for _, rule := range rules() {
			row, err := t.off(rule, held)
			if err != nil {
				return nil, err
			}
			all = append(all, row)
		}
	}
	return all, nil
}

// off holds out the inputs fold by fold, and sums up the choices.
func (t *table) off(rule rule, heldOut string) (OffOptimal, error) {
	group := func(in *input) string { return in.stream }
	if heldOut == heldFamily {
		group = func(in *input) string { return in.family }
	}
	o := OffOptimal{
		Device: t.profile.Name, Held: heldOut, Rule: rule.name, Inputs: len(t.inputs),
	}
	chosen := make([]int, len(t.inputs))
	for _, held := range t.folds(group) {
		var others []int
		for i := range t.inputs {
			if !slices.Contains(held, i) {
				others = append(others, i)
			}
		}
		if len(others) == 0 {
			return o, fmt.Errorf("%s: no input is left to learn from without one %s", o.Device, heldOut)
		}
		score, err := rule.learn(t, others)
		for _, i := range held {
			if err == nil {
				chosen[i], err = t.inputs[i].choose(score)
			}
		}
		if err != nil {
			return o, fmt.Errorf("%s, %s: %w", o.Device, rule.name, err)
		}
	}
	for i, v := range chosen {
		in := &t.inputs[i]
		off := 100 * (in.us[v]/in.least() - 1)
		o.MeanPercent += off / float64(len(chosen))
		o.WorstPercent = max(o.WorstPercent, off)
		if off == 0 {
			o.RightPercent += 100 / float64(len(chosen))
		}
	}
	return o, nil
}

// folds splits the inputs into mostFolds folds at most, group by group in the order of their first
// input.
func (t *table) folds(group func(*input) string) [][]int {
	place := map[string]int{}
	var all [][]int
	for i := range t.inputs {
		g := group(&t.inputs[i])
		n, ok := place[g]
		if !ok {
			n = len(place)
			place[g] = n
		}
		if n %= mostFolds; n == len(all) {
			all = append(all, nil)
		}
		all[n] = append(all[n], i)
	}
	return all
}

// mostOffOptimal is the largest mean of [egielski14] Tables 1 to 3, which the
// paper calls extremely small, in percent.
func mostOffOptimal() (most float64) {
	for _, line := range PublishedOff() {
		most = max(most, line.Percent)
	}
	return most
}

// Checks holds a mean of atomtune's own to the paper's.
func (o OffOptimal) Checks() []validate.Check {
	if o.Rule != ownRule {
		return nil
	}
	item := fmt.Sprintf("%s, without the %s: mean off optimal", o.Device, o.Held)
	return []validate.Check{
		validate.AtMost(item, o.MeanPercent, mostOffOptimal(), validate.UnitPercent, o.Inputs),
	}
}
