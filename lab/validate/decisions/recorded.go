package decisions

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/model"
)

// Part is a part of the recorded calls, with what choices lose among the measured implementations of those
// that a choice ranks.
type Part struct {
	Name       string     `json:"name"`
	Tree       model.Loss `json:"tree"`
	ClosedForm model.Loss `json:"closed_form"`
}

// Implementation is how far times of the implementations of an implementation are off: the mean of
// |ln(measured/predicted)|, by closed forms and corrected by the tree.
type Implementation struct {
	Implementation string  `json:"form"`
	Calls          int     `json:"calls"`
	Closed         float64 `json:"closed"`
	Corrected      float64 `json:"corrected"`
}

// recorded judges a model by the calls of its device, if there are any.
func (made *Device) recorded(d *device.Profile, m *model.Model) error {
	made.Recorded, made.Implementations = []Part{}, []Implementation{}
	a := recorded.Archive(d.Name)
	if a == nil {
		return nil
	}
	for _, half := range []recordings.Part{recordings.Fit, recordings.HeldOut} {
		questions, err := recorded.OfPart(a, half)
		if err == nil {
			err = made.part(string(half), d, m, questions)
		}
		if err == nil && half == recordings.HeldOut {
			made.Implementations, err = implementations(d, m, questions)
		}
		if err != nil {
			return err
		}
	}
	for _, set := range a.Judging() {
		questions, err := recorded.SetQuestions(set)
		if err == nil {
			err = made.part(set.Name(), d, m, questions)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// part adds the losses of choices on questions, by the model as it is: calls that judge it do not shrink it.
func (made *Device) part(name string, d *device.Profile, m *model.Model, questions []recorded.Question) error {
	ranked, _ := recorded.Measured(questions)
	prices := model.NewPredictors(ranked, d, m)
	var byTree, byClosed []float64
	for i := range questions {
		q := &questions[i]
		if err := prices.Predict(q.Stats, q.Call); err != nil {
			return fmt.Errorf("%s, %s: %w", name, q.Label, err)
		}
		best := math.Inf(1)
		var priced []model.Priced
		for _, v := range ranked {
			us, there := q.US[v]
			if !there {
				continue
			}
			of, err := prices.Of(v)
			if err != nil {
				return fmt.Errorf("%s, %s, %s: %w", name, q.Label, v, err)
			}
			priced = append(priced, model.Priced{Implementation: v, Prediction: of})
			best = min(best, us)
		}
		if tree, closed := model.Choices(priced); tree >= 0 {
			byTree = append(byTree, q.US[priced[tree].Implementation]/best)
			byClosed = append(byClosed, q.US[priced[closed].Implementation]/best)
		}
	}
	made.Recorded = append(made.Recorded, Part{name, model.LossOf(byTree), model.LossOf(byClosed)})
	return nil
}

// implementations says how far predicted times are off, implementation by implementation.
func implementations(d *device.Profile, m *model.Model, questions []recorded.Question) ([]Implementation, error) {
	measured, _ := recorded.Measured(questions)
	prices := model.NewPredictors(measured, d, m)
	list := []Implementation{}
	for i := range questions {
		q := &questions[i]
		if err := prices.Predict(q.Stats, q.Call); err != nil {
			return nil, fmt.Errorf("%s: %w", q.Label, err)
		}
		for _, v := range measured {
			us, there := q.US[v]
			if !there || !m.Tree.Corrects(v) {
				continue
			}
			of, err := prices.Of(v)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", q.Label, v, err)
			}
			at := slices.IndexFunc(list, func(f Implementation) bool { return f.Implementation == v.Name() })
			if at < 0 {
				at, list = len(list), append(list, Implementation{Implementation: v.Name()})
			}
			f := &list[at]
			f.Calls++
			f.Closed += math.Abs(math.Log(us / of.Closed))
			f.Corrected += math.Abs(math.Log(us / of.Kernels))
		}
	}
	for i := range list {
		list[i].Closed /= float64(list[i].Calls)
		list[i].Corrected /= float64(list[i].Calls)
	}
	slices.SortFunc(list, func(a, b Implementation) int { return cmp.Compare(a.Implementation, b.Implementation) })
	return list, nil
}
