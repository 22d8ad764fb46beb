package choices

import (
	"context"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/learners"
	"github.com/atomtune/atomtune/lab/validate/leaveoneout"
	"github.com/atomtune/atomtune/lab/validate/online"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/model"
)

// simulatedLoss is the limit of a model's mean loss on points that its trees had not seen.
const simulatedLoss = 1.15

// The learning curve of a report: numbers of measured points, and draws of each.
var curveSizes = []int{0, 10, 50, 200, 1000}

const curveDraws = 3

// evaluate is what a model comes to, nil for the embedded one, without known gaps.
func evaluate(o TunerOptions) (Progress, error) {
	a, m := o.archive(), o.Model
	on := func(judge func(r *TunerReport) error) func(*Progress) error {
		return func(p *Progress) error { return judge(&p.Report) }
	}
	sweeps := func(p *Progress) (err error) {
		p.Sweeps, err = leaveoneout.OfSweeps(o.Journals)
		return err
	}
	err := o.Known.run(o.Keep, sweeps,
		on(func(r *TunerReport) error { return r.judgeModels(a, m) }),
		on(func(r *TunerReport) error { return r.judgeParts(a, m) }),
		on(func(r *TunerReport) error { return r.judgeQuick(a) }),
		on(func(r *TunerReport) error { return r.judgeLaunches(a, m) }),
		on(func(r *TunerReport) error { return r.judgePortfolio(a) }),
		on(func(r *TunerReport) error { return r.judgeCurve(a, m) }),
		on(func(r *TunerReport) error { return r.judgeOnline(a, m) }),
		on(func(r *TunerReport) error { return r.leaveOneOut(a) }))
	return o.Known, err
}

// run carries out the steps that are not done yet, in turn.
func (p *Progress) run(keep func(Progress) error, steps ...func(*Progress) error) error {
	for p.Steps < len(steps) {
		if err := steps[p.Steps](p); err != nil {
			return err
		}
		p.Steps++
		if keep == nil {
			continue
		}
		if err := keep(*p); err != nil {
			return err
		}
	}
	return nil
}

// judgeModels judges the models on the points of their sweeps.
func (r *TunerReport) judgeModels(a *archive.Archive, m *model.Model) (err error) {
	r.Device = a.Name()
	if r.Models, err = modelLosses(a.Name()); err != nil {
		return err
	}
	for _, m := range r.Models {
		held := m.Evaluation.HeldOut
		if held.Points == 0 { // no simulated point belongs to it
			continue
		}
		r.Checks = append(r.Checks, validate.AtMost(
			"model of "+m.Device+": simulated time of the choice over the best on points not seen, "+
				"geometric mean", held.GeometricMean, simulatedLoss, validate.UnitTimes, held.Points))
	}
	if m != nil {
		r.MeasuredPoints = m.MeasuredPoints
	}
	return nil
}

// judgeCurve judges corrections by measured points.
func (r *TunerReport) judgeCurve(a *archive.Archive, m *model.Model) (err error) {
	if m == nil {
		if m, err = recorded.Model(a.Name()); err != nil {
			return err
		}
	}
	sizes := curveSizes
	if m = m.Uncalibrated(); m == nil { // a correction comes from the same points
		sizes = sizes[1:] // without, closed forms alone are a line of each part
	}
	r.Curve, err = LearningCurve(context.Background(), a, m, sizes, curveDraws)
	if err != nil {
		return err
	}
	r.Checks = append(r.Checks, curveChecks(r.Curve)...)
	return nil
}

// judgeOnline judges repeated launches.
func (r *TunerReport) judgeOnline(a *archive.Archive, m *model.Model) (err error) {
	if r.Online, err = online.Replayed(a, m); err != nil {
		return err
	}
	for _, row := range r.Online {
		r.Checks = append(r.Checks, seen(row.Checks(), r.MeasuredPoints)...)
	}
	return nil
}

// leaveOneOut judges choices that were learned from other recordings, and tells of learners.
func (r *TunerReport) leaveOneOut(a *archive.Archive) (err error) {
	if r.Learners, err = learners.KnownLearners(); err != nil {
		return err
	}
	if r.LeaveOneOut, err = leaveoneout.OfRecordings(a); err != nil {
		return err
	}
	for _, row := range r.LeaveOneOut {
		r.Checks = append(r.Checks, row.Checks()...)
	}
	return nil
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
				r.Checks = append(r.Checks, seen(p.checks(), r.MeasuredPoints)...)
			}
		}
	}
	return nil
}

// modelLosses are those of the models with simulated points, and of one of the GPU that is judged.
func modelLosses(judged string) (list []ModelLoss, err error) {
	names := []string{"h200", "gtx680", "c2075"}
	if !slices.Contains(names, judged) {
		names = append(names, judged)
	}
	for _, name := range names {
		m, err := recorded.Model(name)
		if err != nil {
			return nil, err
		}
		if m != nil {
			list = append(list, ModelLoss{name, m.Rows, m.Evaluation, m.Calibration})
		}
	}
	return list, nil
}

// seen marks the checks of a model that has learned from measured points, perhaps from these very
// calls: they hold it to nothing.
func seen(checks []validate.Check, points int) []validate.Check {
	for i := range checks {
		if points > 0 {
			checks[i].Status = validate.Seen
			checks[i].Reason = fmt.Sprintf("the model has seen %d measured points", points)
		}
	}
	return checks
}
