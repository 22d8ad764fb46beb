package online

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/online"
)

// rule chooses among a question's implementations, by their places, launch
// by launch, and learns from the times.
type rule struct {
	name  string
	start func(q *question) (run, error)
}

// run is a rule at work on one question. bound, where there is one, is the
// regret that the rule states for the launches so far.
type run struct {
	next    func(launch int, seen *means) (int, error) // launches count from 1
	observe func(us float64) error                     // nil: the means are all that it learns from
	bound   func() (*online.Bound, error)
}

// means holds the mean time of each implementation that was launched.
type means struct{ sum, count []float64 }

// least returns the place of the least mean.
func (m *means) least() int {
	best := -1
	for i, n := range m.count {
		if n > 0 && (best < 0 || m.sum[i]/n < m.sum[best]/m.count[best]) {
			best = i
		}
	}
	return best
}

// place is that of an implementation among the question's.
func (q *question) place(v impl.Spec) (int, error) {
	i := slices.Index(q.arms, v)
	if i < 0 {
		return 0, fmt.Errorf("%w: %s was not recorded", validate.ErrValidate, v)
	}
	return i, nil
}

// onlineName names online.Online among the rules.
const onlineName = "online.Online"

// allRules are the model's choice throughout, online.Online, and what programs do without
// predictions, or with the model's choice to start from. What was measured in none of the
// questions is not chosen.
func allRules(asked []question, o Options) ([]rule, error) {
	if len(asked) == 0 {
		return nil, fmt.Errorf("%w: nothing is asked", validate.ErrValidate)
	}
	gpu := asked[0].Device
	var list []recorded.Question
	for _, q := range asked {
		list = append(list, *q.Question)
	}
	o.Tuner.Calls = recorded.Again
	o.Tuner.Only, _ = recorded.Measured(list)
	choosers := recorded.ByCall(func(c device.Call) (*tuner.Chooser, error) {
		o.Tuner.Call = c
		return tuner.New(gpu, o.Tuner.Options)
	})
	learners := recorded.ByCall(func(c device.Call) (*online.Online, error) {
		o.Tuner.Call = c
		return online.New(gpu, o.Tuner)
	})
	modelChoice := func(q *question) (int, error) {
		c, err := choosers(q.Call)
		if err != nil {
			return 0, err
		}
		p, err := c.Pick(q.Stats)
		if err != nil {
			return 0, err
		}
		return q.place(p.Implementation)
	}
	return []rule{
		{"the model's choice throughout", func(q *question) (run, error) {
			i, err := modelChoice(q)
			return run{next: func(int, *means) (int, error) { return i, nil }}, err
		}},
		{onlineName, func(q *question) (run, error) {
			on, err := learners(q.Call)
			if err != nil {
				return run{}, err
			}
			on.Forget(q.Label)
			return chosenBy(on, q), nil
		}},
		{"epsilon-greedy from the model's choice: one launch in ten at random, else the least mean",
			func(q *question) (run, error) {
				first, err := modelChoice(q)
				return greedy(q, first, q.random(o.Seed, ruleStream)), err
			}},
		{"epsilon-greedy from a random one", func(q *question) (run, error) {
			r := q.random(o.Seed, ruleStream)
			return greedy(q, r.IntN(len(q.arms)), r), nil
		}},
		{"each once, then the least mean", func(q *question) (run, error) {
			return run{next: func(launch int, seen *means) (int, error) {
				if launch <= len(q.arms) {
					return launch - 1, nil
				}
				return seen.least(), nil
			}}, nil
		}},
	}, nil
}

// chosenBy lets on choose the launches of a question under its label.
func chosenBy(on *online.Online, q *question) run {
	var l online.Launch
	return run{
		next: func(int, *means) (i int, err error) {
			if l, err = on.Next(q.Label, q.Stats); err != nil {
				return 0, err
			}
			return q.place(l.Implementation)
		},
		observe: func(us float64) error { return on.Observe(l, us) },
		bound: func() (*online.Bound, error) {
			now, err := on.Learnt(q.Label)
			return &now.Bound, err
		},
	}
}

const exploring = 10 // launches of which epsilon-greedy draws one

func greedy(q *question, first int, r *rand.Rand) run {
	return run{next: func(launch int, seen *means) (int, error) {
		switch {
		case launch == 1:
			return first, nil
		case r.IntN(exploring) == 0:
			return r.IntN(len(q.arms)), nil
		}
		return seen.least(), nil
	}}
}
