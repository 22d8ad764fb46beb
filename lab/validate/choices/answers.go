package choices

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

// tunerAnswer is the prediction for a recorded question.
type tunerAnswer struct {
	*recorded.Question
	choice forecast
	once   forecast   // the choice where indices come once, of what is told nothing beforehand
	closed impl.Spec  // of the least closed form
	each   []forecast // of every implementation that was measured and can be predicted
}

// forecast is one predicted time with its interval, and the measured one.
type forecast struct {
	of                                               impl.Spec
	predictedUS, lowUS, highUS, measuredUS, closedUS float64
}

// covered reports whether the measured time lies in the interval.
func (f forecast) covered() bool { return f.lowUS <= f.measuredUS && f.measuredUS <= f.highUS }

// off is |predicted/measured - 1|.
func (f forecast) off() float64 { return math.Abs(f.predictedUS/f.measuredUS - 1) }

// answers lets the tuner decide every question, with the embedded model where m is
// nil. Implementations that were measured in none of them are left out and returned.
func answers(
	questions []recorded.Question, m *model.Model,
) (list []tunerAnswer, missing []impl.Spec, err error) {
	measured, missing := recorded.Measured(questions)
	choosers := recorded.ByCall(func(c device.Call) (*tuner.Chooser, error) {
		return tuner.New(questions[0].Device, tuner.Options{Call: c, Calls: recorded.Again, Only: measured,
			Model: m})
	})
	for i := range questions {
		q := &questions[i]
		c, err := choosers(q.Call)
		if err != nil {
			return nil, nil, err
		}
		a, err := answer(q, c)
		if err != nil {
			return nil, nil, fmt.Errorf("%s, %s: %w", q.Label, q.Kind(), err)
		}
		list = append(list, a)
	}
	return list, missing, nil
}

func answer(q *recorded.Question, c *tuner.Chooser) (a tunerAnswer, err error) {
	a.Question = q
	picked, err := c.Pick(q.Stats)
	if err != nil {
		return a, err
	}
	candidates := c.Candidates()
	predictions := make([]model.Prediction, len(candidates))
	if err := c.Forecast(q.Stats, predictions); err != nil {
		return a, err
	}
	least := math.Inf(1)
	var told []model.Priced // nothing
	var of []forecast
	for i, v := range candidates {
		p := &predictions[i]
		if p.Closed < least {
			a.closed, least = v, p.Closed
		}
		us, measured := q.US[v]
		if !measured || math.IsInf(p.US, 1) {
			continue
		}
		a.each = append(a.each, forecast{v, p.US, p.Low, p.High, us, p.Closed})
		if v == picked.Implementation {
			a.choice = a.each[len(a.each)-1]
		}
		if !v.NeedsTargets() && !v.OnHost() {
			told, of = append(told, model.Priced{Implementation: v, Prediction: *p}), append(of, a.each[len(a.each)-1])
		}
	}
	if at, _ := model.Choices(told); at >= 0 {
		a.once = of[at]
	}
	if a.choice.measuredUS == 0 {
		return a, fmt.Errorf("%s is chosen and was not measured", picked.Implementation)
	}
	return a, nil
}

// TimeError says how predicted times lie to measured ones; the error of a time
// is |predicted/measured - 1|.
type TimeError struct {
	Times         int     `json:"times"`
	MedianPercent float64 `json:"median_error_percent"`
	P90Percent    float64 `json:"p90_error_percent"`
	// CoveredPercent is the share of the measured times in the stated 90 % interval, nil without intervals.
	CoveredPercent *float64 `json:"covered_percent"`
	// LnRMSE is the root mean square of ln(predicted/measured), ClosedLnRMSE that of closed forms.
	LnRMSE       float64 `json:"ln_rmse"`
	ClosedLnRMSE float64 `json:"closed_ln_rmse"`
}

func timeError(list []forecast) TimeError {
	errs, covered, intervals := make([]float64, len(list)), 0, true
	var off, closedOff float64
	for i, f := range list {
		errs[i] = 100 * f.off()
		off = math.Hypot(off, math.Log(f.predictedUS/f.measuredUS))
		closedOff = math.Hypot(closedOff, math.Log(f.closedUS/f.measuredUS))
		if f.covered() {
			covered++
		}
		intervals = intervals && !math.IsNaN(f.highUS)
	}
	if len(list) == 0 {
		return TimeError{}
	}
	root := math.Sqrt(float64(len(list)))
	e := TimeError{len(list), quantile.Of(errs, 0.5), quantile.Of(errs, 0.9), nil, off / root, closedOff / root}
	if intervals {
		e.CoveredPercent = new(100 * float64(covered) / float64(len(list)))
	}
	return e
}
