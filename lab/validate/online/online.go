// Package online replays repeated launches of recorded calls and says what online.Online
// loses against the best fixed implementation.
package online

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/online"
	"github.com/atomtune/atomtune/variant"
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

// StatedRegret holds what a rule loses to the regret that it states: the total
// time of so many launches is at most
//
//	(1 + Epsilon) · best + LostUS
//
// with best that of the best fixed implementation, see online.Bound.
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

// OnlineOptions say how recorded calls are replayed.
type OnlineOptions struct {
	Part recordings.Part // of the H200's recordings; empty: recordings.HeldOut
	// Launches holds the numbers of launches to report, ascending; empty: 10, 100
	// and 1,000.
	Launches []int
	Every    int            // of the questions every n-th; 0: each
	Seed     uint64         // of the noise and of the rules that draw
	Tuner    online.Options // Call and Only are set by the replay
}

func (o OnlineOptions) complete() (OnlineOptions, error) {
	if o.Part == "" {
		o.Part = recordings.HeldOut
	}
	if len(o.Launches) == 0 {
		o.Launches = []int{10, 100, 1000}
	}
	if o.Every == 0 {
		o.Every = 1
	}
	if o.Every < 0 {
		return o, fmt.Errorf("%w: every %d", validate.ErrValidate, o.Every)
	}
	for i, n := range o.Launches {
		if n < 1 || i > 0 && n <= o.Launches[i-1] {
			return o, fmt.Errorf("%w: %v launches do not ascend from 1", validate.ErrValidate, o.Launches)
		}
	}
	return o, nil
}

// ReplayOnline repeats each recorded question, one stream and kind of call
// without old values, and lets each rule choose launch by launch. A launch reads
// the recorded median with noise of the recorded spread, see launchTime.draw, and
// is counted as the median. The rules are, in this order, the model's choice
// throughout, online.Online, and those of onlineRivals.
func ReplayOnline(ctx context.Context, o OnlineOptions) ([]OnlineRow, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	questions, err := onlineQuestions(o.Part)
	if err != nil {
		return nil, err
	}
	var asked []onlineQuestion
	for i := 0; i < len(questions); i += o.Every {
		asked = append(asked, questions[i])
	}
	rules, err := onlineRules(o)
	if err != nil {
		return nil, err
	}
	var rows []OnlineRow
	for _, rule := range rules {
		all := make([][]onlineSum, len(o.Launches))
		for i := range asked {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			one, err := asked[i].replay(rule, o)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", rule.name, asked[i].label, err)
			}
			for j, sum := range one {
				all[j] = append(all[j], sum)
			}
		}
		for j, n := range o.Launches {
			rows = append(rows, onlineRow(rule.name, n, all[j]))
		}
	}
	return rows, nil
}

// onlineQuestion is what was recorded of one stream and kind of call.
type onlineQuestion struct {
	label string
	stats *collision.Stats
	call  device.Call
	arms  []variant.Variant // recorded, of variant.OnDevice
	times []launchTime
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

func spreadOf(c recordings.Call) launchTime {
	return launchTime{c.MedianUS, math.Log(c.MedianUS/c.MinUS) / mostOfTen, math.Log(c.MaxUS/c.MedianUS) / mostOfTen, c.MinUS, c.MaxUS}
}

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

// onlineQuestions reads the measured calls of a part without old values, in the
// order of their recording.
func onlineQuestions(part recordings.Part) ([]onlineQuestion, error) {
	calls, err := recorded.Calls(part)
	if err != nil {
		return nil, err
	}
	streams, err := recorded.Streams()
	if err != nil {
		return nil, err
	}
	type key struct {
		label string
		call  device.Call
	}
	place := map[key]int{}
	var list []onlineQuestion
	for _, c := range calls {
		if c.Call.Returns || c.Origin != recordings.Measured || !c.Correct || !slices.Contains(variant.OnDevice(), c.Implementation) {
			continue
		}
		at := key{c.Label, c.Call}
		i, ok := place[at]
		if !ok {
			stats, known := streams[c.Label]
			if !known {
				return nil, fmt.Errorf("%w: no statistics of %s", recordings.ErrRecording, c.Label)
			}
			i = len(list)
			place[at] = i
			list = append(list, onlineQuestion{label: c.Label, stats: &stats, call: c.Call})
		}
		q := &list[i]
		q.arms, q.times = append(q.arms, c.Implementation), append(q.times, spreadOf(c))
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: no calls of part %q", validate.ErrValidate, part)
	}
	return list, nil
}

// best is the least median, in us.
func (q *onlineQuestion) best() float64 {
	least := math.Inf(1)
	for _, t := range q.times {
		least = min(least, t.medianUS)
	}
	return least
}

// replay returns what each of the numbers of launches came to.
func (q *onlineQuestion) replay(rule onlineRule, o OnlineOptions) ([]onlineSum, error) {
	run, err := rule.start(q)
	if err != nil {
		return nil, err
	}
	r := q.random(o.Seed, noiseStream)
	last := o.Launches[len(o.Launches)-1]
	sums := make([]onlineSum, 0, len(o.Launches))
	us, best := 0.0, q.best()
	for t := 1; t <= last; t++ {
		i, err := run.next()
		if err != nil {
			return nil, err
		}
		us += q.times[i].medianUS
		if err := run.observe(i, q.times[i].draw(r.NormFloat64())); err != nil {
			return nil, err
		}
		if t != o.Launches[len(sums)] {
			continue
		}
		sum := onlineSum{us: us, bestUS: float64(t) * best, onceUS: best}
		if run.bound != nil {
			if sum.bound, err = run.bound(); err != nil {
				return nil, err
			}
		}
		sums = append(sums, sum)
	}
	return sums, nil
}
