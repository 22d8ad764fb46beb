package choices

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/model"
)

// simulatedLoss is the limit of a model's mean loss on families that its tree had not seen.
const simulatedLoss = 1.15

// evaluate is what a model comes to, nil for the embedded one, without known gaps.
func evaluate(o TunerOptions) (r TunerReport, err error) {
	a, m := o.archive(), o.Model
	for _, judge := range []func() error{
		func() error { return r.judgeModels(a, m) },
		func() error { return r.judgeParts(a, m) },
		func() error { return r.judgeQuick(a) },
		func() error { return r.judgeLaunches(a, m) },
	} {
		if err := judge(); err != nil {
			return r, err
		}
	}
	return r, nil
}

// judgeModels judges the models on the points of their sweeps.
func (r *TunerReport) judgeModels(a *archive.Archive, m *model.Model) (err error) {
	r.Device = a.Name()
	if r.Models, err = modelLosses(); err != nil {
		return err
	}
	for _, m := range r.Models {
		held := m.Evaluation.Tree
		if held.Points == 0 { // no simulated point belongs to it
			continue
		}
		r.Checks = append(r.Checks, validate.AtMost(
			"model of "+m.Device+": simulated time of the choice over the best on families not seen, "+
				"geometric mean", held.GeometricMean, simulatedLoss, validate.UnitTimes, held.Points))
	}
	if m == nil || m.Intervals == nil {
		return nil
	}
	own, err := recorded.Model(a.Name())
	if own == nil || own.Intervals == nil || own.Intervals.Hash != m.Intervals.Hash {
		r.Intervals = m.Intervals
	}
	return err
}

// judgeParts judges each part of the recorded streams, and the validation sets.
func (r *TunerReport) judgeParts(a *archive.Archive, m *model.Model) error {
	sets, err := allJudged(a)
	if err != nil {
		return err
	}
	for _, set := range sets {
		list, missing, err := answers(set.questions, m)
		if err != nil {
			return err
		}
		for _, v := range missing {
			if !slices.Contains(r.NotMeasured, v) {
				r.NotMeasured = append(r.NotMeasured, v)
			}
		}
		for _, part := range set.parts {
			p := part.judge(list)
			r.Parts = append(r.Parts, p)
			if part.enforced {
				r.Checks = append(append(r.Checks, p.checks()...), seen(p.covered(), r.Intervals)...)
			}
		}
	}
	return nil
}

// modelLosses are those of all embedded models.
func modelLosses() (list []ModelLoss, err error) {
	for _, name := range device.Names() {
		m, err := recorded.Model(name)
		if err != nil {
			return nil, err
		}
		if m != nil {
			list = append(list, ModelLoss{name, len(m.Tree.Leaves), m.Sweep.Points, m.Evaluation, m.Intervals})
		}
	}
	return list, nil
}

// seen marks checks of what intervals hold that were made of any calls, perhaps of these: they hold
// them to nothing. Nil marks none.
func seen(checks []validate.Check, of *model.Intervals) []validate.Check {
	for i := range checks {
		if of != nil {
			checks[i].Status = validate.Seen
			checks[i].Reason = fmt.Sprintf("the model's intervals are of %d measured points", of.Points)
		}
	}
	return checks
}
