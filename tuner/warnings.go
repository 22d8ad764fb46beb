package tuner

import (
	"fmt"
	"math"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/tuner/model"
)

// warnings lists the doubts about a usable answer, each with what to do where
// something can be done.
func (c *Chooser) warnings(s *collision.Stats, ranked []prediction) []string {
	list := []string{}
	if c.caveat != "" {
		list = append(list, c.caveat)
	}
	if s.Sampled != nil {
		list = append(list,
			"the statistics come from a sample, which estimates the frequencies of targets: analyse the whole stream to be sure")
	}
	list = append(list, c.outside(s)...)
	list = append(list, c.untrained(ranked)...)
	if tie := nearTie(ranked); tie != "" {
		list = append(list, tie)
	}
	return list
}

// rangeSlack is the part of a feature's trained range by which a value may lie
// beyond it without a warning: means close to their natural limit, such as 31/32
// for a clustered fraction, are seldom met exactly.
const rangeSlack = 0.02

// outside names the features beyond the range of the training points.
func (c *Chooser) outside(s *collision.Stats) []string {
	if c.model == nil {
		return nil
	}
	var x model.Vector
	x.Fill(s, c.opts.Call)
	var list []string
	for i, r := range c.model.Features {
		slack := rangeSlack * (r.Max - r.Min)
		if x[i] >= r.Min-slack && x[i] <= r.Max+slack {
			continue
		}
		name, value, low, high := r.Name, x[i], r.Min, r.Max
		if plain, ok := strings.CutPrefix(name, "log2_"); ok {
			name, value, low, high = plain, model.Exp2(value), model.Exp2(low), model.Exp2(high)
		}
		list = append(list, fmt.Sprintf("outside the trained range: %s = %s, trained from %s to %s",
			name, number(value), number(low), number(high)))
	}
	return list
}

// untrained names the ranked implementations that a model does not correct.
func (c *Chooser) untrained(ranked []prediction) []string {
	if c.model == nil {
		return nil
	}
	var names []string
	for _, r := range ranked {
		if !r.trained {
			names = append(names, r.variant.String())
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"closed forms alone for " + strings.Join(names,
		", ") + ", which the model does not correct"}
}

// nearTie names the runner-up if its time lies within the choice's interval.
func nearTie(ranked []prediction) string {
	if len(ranked) < 2 || ranked[1].US > ranked[0].High {
		return ""
	}
	best, next := ranked[0], ranked[1]
	return fmt.Sprintf("near tie: %s at %s us lies within the interval of %s, %s to %s us: measure both if it matters",
		next.variant, number(next.US), best.variant, number(best.Low), number(best.High))
}

// number prints a quantity with three significant digits, and whole numbers
// from a hundred on in full.
func number(v float64) string {
	if math.Abs(v) >= 100 || v == math.Trunc(v) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
