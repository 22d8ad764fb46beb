// Package online replays repeated launches of recorded calls and says what online.Online
// loses against the best fixed implementation.
package online

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/online"
)

// OnlineRow says what a rule for repeated launches loses: the recorded median
// times of the implementations that it launched, summed up, over as many
// launches of the best fixed implementation.
type OnlineRow struct {
	Rule      string `json:"rule"`
	Launches  int    `json:"launches"`  // of each question
	Questions int    `json:"questions"` // streams and kinds of call
	model.Loss
	Stated *StatedRegret `json:"stated_regret,omitempty"` // of online.Online alone
}

// StatedRegret holds what a rule loses to the regret that it states: the total time of so many
// launches is at most (1 + Epsilon) · best + LostUS, with best that of the best fixed
// implementation, see online.Bound.
type StatedRegret struct {
	Epsilon    float64 `json:"epsilon"`
	Confidence float64 `json:"confidence"` // that a question keeps to it
	Beyond     int     `json:"beyond"`     // questions that do not
	// Most is the largest (total - LostUS) / best, to be 1 + Epsilon at most.
	Most float64 `json:"most"`
	// LostLaunches is LostUS over the time of one launch of the best: the median
	// over the questions, and the largest.
	LostLaunches     float64 `json:"lost_launches"`
	MostLostLaunches float64 `json:"most_lost_launches"`
}

// ReplayEvery is of how many recorded questions Replayed takes one.
const ReplayEvery = 4

// Replayed are held-out questions of an archive replayed with a model, nil for the embedded one. Errors wrap
// ErrValidate.
func Replayed(a *archive.Archive, m *model.Model) (rows []OnlineRow, err error) {
	defer validate.Wrap(&err)
	list, err := questions(a, recordings.HeldOut, ReplayEvery)
	if err != nil {
		return nil, err
	}
	o := Options{Launches: []int{10, 100, 1000}, Seed: 1}
	o.Tuner.Model = m
	return Replay(context.Background(), list, o)
}

// Options say how recorded calls are replayed.
type Options struct {
	Launches []int          // numbers of launches to report, ascending
	Seed     uint64         // of the noise and of the rules that draw
	Tuner    online.Options // Call and Only are set by the replay
}

// Replay repeats each question and lets each rule choose launch by launch. A launch reads
// the recorded median with noise of the recorded spread, see launchTime.draw, and
// is counted as the median.
func Replay(ctx context.Context, asked []question, o Options) ([]OnlineRow, error) {
	rules, err := allRules(asked, o)
	if err != nil {
		return nil, err
	}
	var rows []OnlineRow
	for _, rule := range rules {
		all := make([][]total, len(o.Launches))
		for i := range asked {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			one, err := asked[i].replay(rule, o)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", rule.name, asked[i].Label, err)
			}
			for j, sum := range one {
				all[j] = append(all[j], sum)
			}
		}
		for j, n := range o.Launches {
			rows = append(rows, rowOf(rule.name, n, all[j]))
		}
	}
	return rows, nil
}

// question is a recorded one with the implementations to choose from.
type question struct {
	*recorded.Question
	arms  []impl.Spec // recorded, of impl.OnDevice
	times []launchTime
}

// questions are every n-th of a part.
func questions(a *archive.Archive, part recordings.Part, every int) (list []question, err error) {
	all, err := recorded.OfPart(a, part)
	for i := 0; i < len(all); i += every {
		q := question{Question: &all[i]}
		for _, c := range q.Calls {
			if !slices.Contains(recorded.OnDevice(), c.Implementation) {
				continue
			}
			q.arms = append(q.arms, c.Implementation)
			q.times = append(q.times, launchTime{c.MedianUS, math.Log(c.MedianUS/c.MinUS) / mostOfTen,
				math.Log(c.MaxUS/c.MedianUS) / mostOfTen, c.MinUS, c.MaxUS})
		}
		list = append(list, q)
	}
	return list, err
}

// launchTime is the median of repeats and, in ln, how far repeats lie below and
// above it.
type launchTime struct {
	medianUS    float64
	below, over float64 // standard deviations
	least, most float64 // us
}

// mostOfTen is the expectation of the greatest of ten standard normal numbers:
// the extremes of ten repeats lie so many standard deviations from the median.
const mostOfTen = 1.5388

// draw returns the time of a launch, in us, for a standard normal number: of
// logarithms the two halves of normal distributions below and above the median,
// cut at the recorded extremes.
func (s launchTime) draw(z float64) float64 {
	side := s.below
	if z > 0 {
		side = s.over
	}
	return min(max(s.medianUS*math.Exp(z*side), s.least), s.most)
}

const (
	noiseStream = iota // random numbers of the launches' noise
	ruleStream         // and of the rules that draw
)

// random returns random numbers that depend on the question and the seed alone.
func (q *question) random(seed, stream uint64) *rand.Rand {
	h := fnv.New64a()
	c := q.Call // what recordings tell apart
	fmt.Fprintf(h, "%s{%s %s %t %s}", q.Label, c.Type, c.Operand, c.Returns, c.Op)
	return rand.New(rand.NewPCG(seed, h.Sum64()^stream))
}

// total is what a number of launches of one question came to.
type total struct {
	us     float64 // of what the rule launched
	bestUS float64 // of as many launches of the best fixed one
	onceUS float64 // of one of these
	bound  *online.Bound
}

// replay returns what each of the numbers of launches came to.
func (q *question) replay(rule rule, o Options) (sums []total, err error) {
	run, err := rule.start(q)
	if err != nil {
		return nil, err
	}
	r := q.random(o.Seed, noiseStream)
	seen := means{make([]float64, len(q.arms)), make([]float64, len(q.arms))}
	us, best := 0.0, q.Best()
	for t := 1; t <= o.Launches[len(o.Launches)-1]; t++ {
		i, err := run.next(t, &seen)
		if err != nil {
			return nil, err
		}
		us += q.times[i].medianUS
		read := q.times[i].draw(r.NormFloat64())
		seen.sum[i] += read
		seen.count[i]++
		if run.observe != nil {
			if err := run.observe(read); err != nil {
				return nil, err
			}
		}
		if t != o.Launches[len(sums)] {
			continue
		}
		sum := total{us: us, bestUS: float64(t) * best, onceUS: best}
		if run.bound != nil {
			if sum.bound, err = run.bound(); err != nil {
				return nil, err
			}
		}
		sums = append(sums, sum)
	}
	return sums, nil
}

// rowOf sums up the questions of one rule and number of launches.
func rowOf(rule string, launches int, sums []total) OnlineRow {
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
		ratio := (s.us - s.bound.LostUS) / s.bestUS
		stated.Most = max(stated.Most, ratio)
		if ratio > 1+stated.Epsilon {
			stated.Beyond++
		}
		lost[i] = s.bound.LostUS / s.onceUS
	}
	if stated != nil {
		stated.LostLaunches = quantile.Of(lost, 0.5)
		stated.MostLostLaunches = slices.Max(lost)
	}
	return OnlineRow{rule, launches, len(sums), model.LossOf(losses), stated}
}

// Checks holds the questions on which more was lost than stated to those that
// the stated confidence allows.
func (r OnlineRow) Checks() []validate.Check {
	if r.Stated == nil {
		return nil
	}
	return []validate.Check{validate.AtMost(
		fmt.Sprintf("%s, %d launches replayed: streams and kinds of call that lose more than the "+
			"stated regret", r.Rule, r.Launches),
		100*float64(r.Stated.Beyond)/float64(r.Questions), 100-100*r.Stated.Confidence,
		validate.UnitPercent, r.Questions)}
}
