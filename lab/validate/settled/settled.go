// Package settled holds choices that samples settle against choices from all of a stream, on the
// synthetic streams with recorded calls.
//
// After a change of samples, closed forms or models, "script/regenerate settled" makes the lists anew.
// A test fails where a choice that loses more has no reason in differences.csv.
package settled

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner"
)

// Forced settles choices of recorded streams, most of which are too short to be sampled otherwise: a
// sample may hold all of the stream.
var Forced = tuner.Reading{From: 1, Part: 1}

// Loss is the share of its time that a choice may lose where another one agrees with it.
const Loss = 0.01

// Answer is a choice by samples beside that from all of the stream.
type Answer struct {
	recorded.Question
	tuner.Settling
	Exact, Sampled impl.Spec
	// Lost is the time of Sampled over that of Exact, less 1, by the recorded times where Measured says
	// so, else as predicted from all of the stream.
	Lost     float64
	Measured bool
}

// Agrees reports whether both choices are the same, or that of samples loses less than the share that
// they settle for.
func (a *Answer) Agrees() bool { return a.Exact == a.Sampled || a.Lost < Loss }

// Answers compares the choices for the questions of one synthetic stream, among the implementations that
// were measured. Of several kinds of call each has samples of its own seed, counted from the first.
// Errors wrap validate.ErrValidate.
func Answers(questions []recorded.Question, measured []impl.Spec, how tuner.Reading) (
	list []Answer, err error) {
	defer validate.Wrap(&err)
	spec, err := synth.Parse(questions[0].Label)
	if err != nil {
		return nil, err
	}
	indices, err := synth.Generate(spec)
	if err != nil {
		return nil, err
	}
	stats, err := collision.Analyze(indices, collision.Options{Bins: uint64(spec.K),
		WarpSize: questions[0].Stats.WarpSize})
	if err != nil {
		return nil, err
	}
	for i := range questions {
		q := &questions[i]
		how.Seed = uint64(i)
		a, err := answer(q, &stats, indices, tuner.Options{Call: q.Call, Calls: recorded.Again, Only: measured}, how)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", q.Label, q.Kind(), err)
		}
		list = append(list, a)
	}
	return list, nil
}

func answer(q *recorded.Question, stats *collision.Stats, indices []uint32, o tuner.Options,
	how tuner.Reading) (a Answer, err error) {
	exact, err := tuner.Choose(stats, q.Device, o)
	if err != nil {
		return a, err
	}
	o.Reading = how
	sampled, err := tuner.ChooseSource(context.Background(), tuner.At(collision.Indices(indices), stats.Bins), q.Device, o)
	if err != nil {
		return a, err
	}
	a = Answer{Question: *q, Settling: *sampled.Settling, Exact: exact.Choice.Implementation,
		Sampled: sampled.Choice.Implementation}
	own, best := q.US[a.Sampled], q.US[a.Exact]
	if a.Measured = own > 0 && best > 0; !a.Measured {
		own, best = predicted(&exact, a.Sampled), exact.Choice.PredictedUS
	}
	a.Lost = own/best - 1
	return a, nil
}

// predicted is the predicted time of an implementation of a ranking, NaN where that has none.
func predicted(d *tuner.Decision, v impl.Spec) float64 {
	for _, r := range d.Ranking {
		if r.Implementation == v {
			return r.PredictedUS
		}
	}
	return math.NaN()
}

// least and most bound the updates of the streams that are compared: shorter ones have no second sample.
const least, most = 1 << 20, 1 << 23

// Streams returns the questions on synthetic streams that are compared, those of one stream side by side,
// in the order of their labels.
func Streams(questions []recorded.Question) [][]recorded.Question {
	of := map[string][]recorded.Question{}
	for _, q := range questions {
		if n := q.Stats.Updates; !recorded.IsFile(q.Label) && n >= least && n <= most {
			of[q.Label] = append(of[q.Label], q)
		}
	}
	var list [][]recorded.Question
	for _, label := range slices.Sorted(maps.Keys(of)) {
		slices.SortFunc(of[label], func(a, b recorded.Question) int {
			return cmp.Or(cmp.Compare(a.Call.Type, b.Call.Type), cmp.Compare(a.Call.Operand, b.Call.Operand))
		})
		list = append(list, of[label])
	}
	return list
}
