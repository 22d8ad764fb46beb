package online

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/online"
	"github.com/atomtune/atomtune/variant"
)

// onlineRule chooses among a question's implementations, by their places, launch
// by launch, and learns from the times.
type onlineRule struct {
	name  string
	start func(q *onlineQuestion) (onlineRun, error)
}

// onlineRun is a rule at work on one question. bound, where there is one, is the
// regret that the rule states for the launches so far.
type onlineRun struct {
	next    func() (int, error)
	observe func(i int, us float64) error
	bound   func() (*online.Bound, error)
}

// onlineName names online.Online among the rules.
const onlineName = "online.Online"

// onlineRules lists the rules of ReplayOnline.
func onlineRules(o OnlineOptions) ([]onlineRule, error) {
	gpu, err := device.Builtin("h200")
	if err != nil {
		return nil, err
	}
	options := func(q *onlineQuestion) online.Options {
		t := o.Tuner
		t.Call, t.Only = q.call, variant.OnDevice()
		return t
	}
	learners := map[device.Call]*online.Online{}
	return append([]onlineRule{
		{"the model's choice throughout", func(q *onlineQuestion) (onlineRun, error) {
			i, err := modelChoice(q, gpu, options(q).Options)
			return onlineRun{next: func() (int, error) { return i, nil }, observe: forget}, err
		}},
		{onlineName, func(q *onlineQuestion) (onlineRun, error) {
			on := learners[q.call]
			if on == nil {
				var err error
				if on, err = online.New(gpu, options(q)); err != nil {
					return onlineRun{}, err
				}
				learners[q.call] = on
			}
			on.Forget(q.label)
			return chosenBy(on, q), nil
		}},
	}, onlineRivals(o, gpu)...), nil
}

func forget(int, float64) error { return nil }

// chosenBy lets on choose the launches of a question under its label.
func chosenBy(on *online.Online, q *onlineQuestion) onlineRun {
	var l online.Launch
	return onlineRun{
		next: func() (i int, err error) {
			if l, err = on.Next(q.label, q.stats); err != nil {
				return 0, err
			}
			return q.place(l)
		},
		observe: func(_ int, us float64) error { return on.Observe(l, us) },
		bound: func() (*online.Bound, error) {
			now, err := on.Learnt(q.label)
			return &now.Bound, err
		},
	}
}

func (q *onlineQuestion) place(l online.Launch) (int, error) {
	i := slices.Index(q.arms, l.Variant)
	if i < 0 {
		return 0, fmt.Errorf("%w: %s was not recorded", validate.ErrValidate, l.Variant)
	}
	return i, nil
}

func modelChoice(q *onlineQuestion, gpu *device.Profile, o tuner.Options) (int, error) {
	d, err := tuner.Choose(q.stats, gpu, o)
	if err != nil {
		return 0, err
	}
	return q.place(online.Launch{Variant: d.Choice.Implementation})
}

// onlineRivals are what programs do without predictions, and with the model's
// choice to start from.
func onlineRivals(o OnlineOptions, gpu *device.Profile) []onlineRule {
	return []onlineRule{
		{"epsilon-greedy from the model's choice: one launch in ten at random, else the least mean", func(q *onlineQuestion) (onlineRun, error) {
			t := o.Tuner.Options
			t.Call, t.Only = q.call, variant.OnDevice()
			first, err := modelChoice(q, gpu, t)
			return greedy(q, first, q.random(o.Seed, ruleStream)), err
		}},
		{"epsilon-greedy from a random one", func(q *onlineQuestion) (onlineRun, error) {
			r := q.random(o.Seed, ruleStream)
			return greedy(q, r.IntN(len(q.arms)), r), nil
		}},
		{"each once, then the least mean", func(q *onlineQuestion) (onlineRun, error) {
			m := newMeans(len(q.arms))
			t := 0
			next := func() (int, error) {
				t++
				if t <= len(q.arms) {
					return t - 1, nil
				}
				return m.least(), nil
			}
			return onlineRun{next: next, observe: m.observe}, nil
		}},
	}
}

const exploring = 10 // launches of which epsilon-greedy draws one

func greedy(q *onlineQuestion, first int, r *rand.Rand) onlineRun {
	m := newMeans(len(q.arms))
	started := false
	return onlineRun{observe: m.observe, next: func() (int, error) {
		if !started {
			started = true
			return first, nil
		}
		if r.IntN(exploring) == 0 {
			return r.IntN(len(q.arms)), nil
		}
		return m.least(), nil
	}}
}

// means holds the mean time of each implementation that was launched.
type means struct {
	sum   []float64 // us
	count []float64
}

func newMeans(n int) *means { return &means{make([]float64, n), make([]float64, n)} }

func (m *means) observe(i int, us float64) error {
	m.sum[i] += us
	m.count[i]++
	return nil
}

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

const (
	noiseStream = iota // random numbers of the launches' noise
	ruleStream         // and of the rules that draw
)

// random returns random numbers that hang on the question and the seed alone.
func (q *onlineQuestion) random(seed, stream uint64) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, q.label, q.call)
	return rand.New(rand.NewPCG(seed, h.Sum64()^stream))
}
