// Package choices holds the tuner's choices and predicted times against the calls that
// were recorded on an NVIDIA H200, beside simple rules.
package choices

import (
	"fmt"

	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/curve"
	"github.com/atomtune/atomtune/lab/validate/learners"
	"github.com/atomtune/atomtune/lab/validate/leaveoneout"
	"github.com/atomtune/atomtune/lab/validate/online"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/model"
)

// TunerOptions say what of the tuner is judged.
type TunerOptions struct {
	// Model corrects the closed forms of the H200; nil is the embedded one. Known
	// gaps are the embedded model's: with another each limit is enforced.
	Model *model.Model
	// Journals are files of finished sweeps, whose points are chosen for without
	// their own line and family; with none this is left out.
	Journals []string
	// Worst lists the worst choices of the held-out half too. They are hidden by
	// default, so that nobody tunes to them.
	Worst bool
}

// TunerReport holds choices and predicted times against what was measured on an
// H200, and choices learned from other inputs against the best.
type TunerReport struct {
	Device string `json:"device"`
	// MeasuredPoints is the number of measured points that the model has learned
	// from: with any, its checks on recorded calls are Seen.
	MeasuredPoints int         `json:"measured_points"`
	Models         []ModelLoss `json:"models"`
	Parts          []TunerPart `json:"parts"`
	// Curve says what choices lose on the held-out half after a correction by
	// measured points of the other.
	Curve []curve.CurvePoint `json:"learning_curve"`
	// Online says what repeated launches lose, replayed on the held-out half.
	Online []online.OnlineRow `json:"online"`
	// Learners is the program's own table of what others than the model's trees
	// come to, made of the sweeps that the embedded models learned from.
	Learners []learners.LearnerRow `json:"learners"`
	// LeaveOneOut says how far from the best choices are that were learned from
	// other inputs, and Published what [egielski14] reports of its own.
	LeaveOneOut []leaveoneout.OffOptimal `json:"leave_one_out"`
	Published   []leaveoneout.PaperOff   `json:"published"`
	Checks      []validate.Check         `json:"checks"`
	Failed      []string                 `json:"failed"`
}

// TunerPart is what is found on one part of the recorded streams.
type TunerPart struct {
	Part      string      `json:"part"`
	Streams   int         `json:"streams"`
	Questions int         `json:"questions"` // streams and kinds of call
	Rules     []RuleLoss  `json:"rules"`
	ByType    []GroupLoss `json:"by_type"`
	ByFamily  []GroupLoss `json:"by_family"`
	// Choice and All are about predicted times: of the choice, and of every
	// implementation that was measured.
	Choice TimeError `json:"choice"`
	All    TimeError `json:"all"`
	// Worst are the choices that lose most, of each stream the worst; none where they
	// are not shown.
	Worst []WorstChoice `json:"worst"`
}

// Tuner holds choices and predicted times to the recordings. No measured call has
// taught the embedded model what to choose: it learns from simulation, and the
// device's profile from single readings and patterns; how wide its intervals are
// is set on the fit part. A model that learned from measured points is judged too,
// but held to nothing on recorded calls. Errors wrap ErrValidate.
func Tuner(o TunerOptions) (TunerReport, error) {
	gaps := map[string]validate.Gap{}
	var err error
	if o.Model == nil {
		gaps, err = tunerGaps()
	}
	var r TunerReport
	if err == nil {
		r, err = judgeTuner(o, gaps)
	}
	if err != nil {
		return TunerReport{}, fmt.Errorf("%w: %w", validate.ErrValidate, err)
	}
	return r, nil
}

func judgeTuner(o TunerOptions, gaps map[string]validate.Gap) (TunerReport, error) {
	r := TunerReport{Device: "h200", Published: leaveoneout.PublishedOff()}
	sweeps, err := leaveoneout.SweepTables(o.Journals)
	if err != nil {
		return r, err
	}
	if r.Models, err = modelLosses(); err != nil {
		return r, err
	}
	for _, m := range r.Models {
		r.Checks = append(r.Checks, m.checks()...)
	}
	if err := r.judgeParts(o); err != nil {
		return r, err
	}
	if r.Curve, err = curve.Learned(o.Model); err != nil {
		return r, err
	}
	r.Checks = append(r.Checks, curve.CurveChecks(r.Curve)...)
	if r.Online, err = online.Replayed(o.Model); err != nil {
		return r, err
	}
	for _, row := range r.Online {
		r.Checks = append(r.Checks, seen(row.Checks(), r.MeasuredPoints)...)
	}
	if r.Learners, err = learners.KnownLearners(); err != nil {
		return r, err
	}
	if r.LeaveOneOut, err = leaveoneout.LeaveOneOut(sweeps); err != nil {
		return r, err
	}
	for _, row := range r.LeaveOneOut {
		r.Checks = append(r.Checks, row.Checks()...)
	}
	r.Failed = judged(r.Checks, gaps, len(o.Journals) > 0)
	return r, nil
}

// judgeParts judges each part of the recorded streams, and the second validation set.
func (r *TunerReport) judgeParts(o TunerOptions) error {
	if o.Model != nil {
		r.MeasuredPoints = o.Model.MeasuredPoints
	}
	for _, set := range []struct {
		questions func() ([]recorded.Question, error)
		own       func() ([]tunerAnswer, error)
		parts     []recordedPart
	}{{recorded.Questions, ownAnswers, recordedParts()}, {recorded.SecondQuestions, secondAnswers, []recordedPart{secondSetPart()}}} {
		var list []tunerAnswer
		var err error
		if o.Model == nil {
			list, err = set.own()
		} else {
			list, err = answersBy(set.questions, o.Model)
		}
		if err != nil {
			return err
		}
		for _, part := range set.parts {
			p := part.judge(list, o.Worst)
			r.Parts = append(r.Parts, p)
			if part.enforced {
				r.Checks = append(r.Checks, seen(p.checks(), r.MeasuredPoints)...)
			}
		}
	}
	return nil
}

// seen marks the checks of a model that has learned from measured points: it may
// have learned from these very calls, so that they hold it to nothing.
func seen(checks []validate.Check, points int) []validate.Check {
	if points == 0 {
		return checks
	}
	for i := range checks {
		checks[i].Status = validate.Seen
		checks[i].Reason = fmt.Sprintf("the model has seen %d measured points", points)
	}
	return checks
}

// judge sums up the part's answers.
func (part recordedPart) judge(list []tunerAnswer, worst bool) TunerPart {
	var own []*tunerAnswer
	streams := map[string]bool{}
	var choices, all []forecast
	for i := range list {
		a := &list[i]
		if !part.takes(a.Question) {
			continue
		}
		own = append(own, a)
		streams[a.Label] = true
		choices, all = append(choices, a.own()), append(all, a.each...)
	}
	p := TunerPart{
		Part: part.name, Streams: len(streams), Questions: len(own), Rules: ruleLosses(own),
		ByType:   groupLosses(own, func(a *tunerAnswer) string { return a.Kind() }),
		ByFamily: groupLosses(own, func(a *tunerAnswer) string { return a.Family() }),
		Choice:   timeError(choices), All: timeError(all), Worst: []WorstChoice{},
	}
	if part.worst == always || worst && part.worst == onDemand {
		p.Worst = worstChoices(own)
	}
	return p
}

// The limits of a part's figures.
const (
	meanLoss, p90Loss, mostLoss = 1.05, 1.15, 1.5 // times the best
)

// checks holds the part's figures to their limits.
func (p TunerPart) checks() []validate.Check {
	check := func(item string, value, limit float64, unit string, rows int) validate.Check {
		return validate.Check{Item: p.Part + ": " + item, Value: value, Limit: limit, Unit: unit, Rows: rows, Status: validate.Enforced}
	}
	own := p.Rules[0].Loss
	covered := check("measured times of choices within their 90 % interval", p.Choice.CoveredPercent, validate.NominalShare, validate.UnitPercent, p.Choice.Times)
	covered.Least = true
	return []validate.Check{
		check("time of the choice over the best, geometric mean", own.GeometricMean, meanLoss, validate.UnitTimes, own.Points),
		check("time of the choice over the best, 90th percentile", own.P90, p90Loss, validate.UnitTimes, own.Points),
		check("time of the choice over the best, maximum", own.Max, mostLoss, validate.UnitTimes, own.Points),
		check("predicted time of the choice, median error", p.Choice.MedianPercent, validate.ChoiceMedian, validate.UnitPercent, p.Choice.Times),
		covered,
	}
}
