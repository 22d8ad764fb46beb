package choices

import (
	"fmt"
	"math"
	"sync"

	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// tunerAnswer is what is said about a recorded question.
type tunerAnswer struct {
	*recorded.Question
	choice tuner.Choice
	closed variant.Variant // of the least closed form
	each   []forecast      // of every implementation that was measured and can be predicted
	// predicted holds the time of each implementation of the ranking.
	predicted map[variant.Variant]float64
}

// forecast is one predicted time with its interval, and the measured one.
type forecast struct {
	of                                     variant.Variant
	predictedUS, lowUS, highUS, measuredUS float64
}

// covered reports whether the measured time lies in the interval.
func (f forecast) covered() bool { return f.lowUS <= f.measuredUS && f.measuredUS <= f.highUS }

// off is |predicted/measured - 1|, in percent.
func (f forecast) off() float64 { return 100 * math.Abs(f.predictedUS/f.measuredUS-1) }

// answered returns what the embedded model answers to questions, found once.
func answered(questions func() ([]recorded.Question, error)) func() ([]tunerAnswer, error) {
	return sync.OnceValues(func() ([]tunerAnswer, error) { return answersBy(questions, nil) })
}

var (
	ownAnswers    = answered(recorded.Questions)
	secondAnswers = answered(recorded.SecondQuestions)
)

func answersBy(questions func() ([]recorded.Question, error), m *model.Model) ([]tunerAnswer, error) {
	list, err := questions()
	if err != nil {
		return nil, err
	}
	return answers(list, m)
}

// answers lets Choose decide every question, with the embedded model where m is
// nil.
func answers(questions []recorded.Question, m *model.Model) ([]tunerAnswer, error) {
	list := make([]tunerAnswer, len(questions))
	for i := range questions {
		q := &questions[i]
		a, err := answer(q, m)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", q.Label, q.Kind(), err)
		}
		if _, measured := q.US[a.choice.Implementation]; !measured {
			return nil, fmt.Errorf("%s, %s: %s is chosen and was not measured", q.Label, q.Kind(), a.choice.Implementation)
		}
		list[i] = a
	}
	return list, nil
}

func answer(q *recorded.Question, m *model.Model) (tunerAnswer, error) {
	d, err := tuner.Choose(q.Stats, q.Device, tuner.Options{Call: q.Call, Only: variant.OnDevice(), Model: m})
	if err != nil {
		return tunerAnswer{}, err
	}
	a := tunerAnswer{Question: q, choice: d.Choice, closed: leastClosed(q), predicted: map[variant.Variant]float64{}}
	for _, r := range d.Ranking {
		a.predicted[r.Implementation] = r.PredictedUS
		if us, measured := q.US[r.Implementation]; measured {
			a.each = append(a.each, forecast{r.Implementation, r.PredictedUS, r.LowUS, r.HighUS, us})
		}
	}
	return a, nil
}

// own is the forecast of the choice.
func (a *tunerAnswer) own() forecast {
	return forecast{a.choice.Implementation, a.choice.PredictedUS, a.choice.LowUS, a.choice.HighUS, a.US[a.choice.Implementation]}
}

// leastClosed is the implementation with the least closed form.
func leastClosed(q *recorded.Question) variant.Variant {
	first, least := variant.Variant{}, math.Inf(1)
	for _, v := range variant.OnDevice() {
		if cost, err := speedup.Predict(v, q.Stats, q.Device, q.Call); err == nil && cost.US < least {
			first, least = v, cost.US
		}
	}
	return first
}
