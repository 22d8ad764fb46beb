package learners

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// verdict collects the choices and errors of one learner.
type verdict struct{ ratios, errors []float64 }

func (v *verdict) add(s *training.Sample, scores Scores) {
	values := scores(s)
	chosen := -1
	for i, score := range values {
		if !s.Has(i) {
			continue
		}
		v.errors = append(v.errors, math.Abs(score-math.Log(s.Simulated[i])))
		if chosen < 0 || score < values[chosen] {
			chosen = i
		}
	}
	v.ratios = append(v.ratios, s.Simulated[chosen]/s.Best())
}

func (v *verdict) row(l Learner, judge string, samples int) LearnerRow {
	r := LearnerRow{Learner: l.Name, Judge: judge, Samples: samples, Loss: model.LossOf(v.ratios)}
	if l.Timeless {
		return r
	}
	var squares float64
	for _, e := range v.errors {
		squares += float64(e * e)
	}
	slices.Sort(v.errors)
	r.Error = &LogError{
		RMSE: math.Sqrt(squares / float64(len(v.errors))),
		P90:  v.errors[int(math.Ceil(0.9*float64(len(v.errors))))-1],
	}
	return r
}
