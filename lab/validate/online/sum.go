package online

import (
	"context"
	"fmt"
	"sync"

	"github.com/atomtune/atomtune/lab/validate"
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
		stated.LostLaunches, stated.MostLostLaunches = validate.Quantile(lost, 0.5), validate.Quantile(lost, 1)
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

// Checks holds the questions on which more was lost than stated to those that
// the stated confidence allows.
func (r OnlineRow) Checks() []validate.Check {
	if r.Stated == nil {
		return nil
	}
	return []validate.Check{{
		Item:  fmt.Sprintf("%s, %d launches replayed: streams and kinds of call that lose more than the stated regret", r.Rule, r.Launches),
		Value: 100 * float64(r.Stated.Beyond) / float64(r.Questions), Limit: 100 - 100*r.Stated.Confidence,
		Unit: validate.UnitPercent, Rows: r.Questions, Status: validate.Enforced,
	}}
}

// ReplayEvery is of how many recorded questions one is replayed.
const ReplayEvery = 4

// Replayed are the held-out questions replayed with a model, nil for the embedded
// one.
func Replayed(m *model.Model) ([]OnlineRow, error) {
	if m == nil {
		return ownReplay()
	}
	return replayWith(m)
}

// ownReplay is that of the embedded model, found once.
var ownReplay = sync.OnceValues(func() ([]OnlineRow, error) { return replayWith(nil) })

func replayWith(m *model.Model) ([]OnlineRow, error) {
	o := OnlineOptions{Every: ReplayEvery, Seed: 1}
	o.Tuner.Model = m
	return ReplayOnline(context.Background(), o)
}
