package validate

import (
	"fmt"

	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/online"
)

// onlineSum is what a number of launches of one question came to.
type onlineSum struct {
	us     float64 // of what the rule launched
	bestUS float64 // of as many launches of the best fixed one
	onceUS float64 // of one of these
	bound  *online.Bound
}

// onlineRow sums up the questions of one rule and number of launches.
func onlineRow(rule string, launches int, sums []onlineSum) OnlineRow {
	losses, lost := make([]float64, len(sums)), make([]float64, len(sums))
	var stated *StatedRegret
	for i, s := range sums {
		losses[i] = s.us / s.bestUS
		if s.bound == nil {
			continue
		}
		if stated == nil {
			stated = &StatedRegret{Epsilon: s.bound.Epsilon, Confidence: s.bound.Confidence}
		}
		stated.add(s)
		lost[i] = s.bound.LostUS / s.onceUS
	}
	if stated != nil {
		stated.LostLaunches, stated.MostLostLaunches = quantile(lost, 0.5), quantile(lost, 1)
	}
	return OnlineRow{rule, launches, len(sums), model.LossOf(losses), stated}
}

func (r *StatedRegret) add(s onlineSum) {
	ratio := (s.us - s.bound.LostUS) / s.bestUS
	r.Most = max(r.Most, ratio)
	if ratio > 1+r.Epsilon {
		r.Beyond++
	}
}

// checks holds the questions on which more was lost than stated to those that
// the stated confidence allows.
func (r OnlineRow) checks() []Check {
	if r.Stated == nil {
		return nil
	}
	return []Check{{
		Item:  fmt.Sprintf("%s, %d launches replayed: streams and kinds of call that lose more than the stated regret", r.Rule, r.Launches),
		Value: 100 * float64(r.Stated.Beyond) / float64(r.Questions), Limit: 100 - 100*r.Stated.Confidence,
		Unit: unitPercent, Rows: r.Questions, Status: Enforced,
	}}
}
