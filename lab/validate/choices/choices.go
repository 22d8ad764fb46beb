// Package choices holds the tuner's choices and predicted times against the calls of an
// archive, those recorded on NVIDIA H200s unless told otherwise, beside simple rules.
package choices

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/learners"
	"github.com/atomtune/atomtune/lab/validate/leaveoneout"
	"github.com/atomtune/atomtune/lab/validate/online"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// TunerOptions say what of the tuner is judged.
type TunerOptions struct {
	// Archive judges by its calls; nil is the H200's.
	Archive *archive.Archive
	// Model corrects the closed forms of the archive's GPU; nil is the embedded one. Known gaps are
	// those of the H200's embedded model: with another each limit is enforced.
	Model    *model.Model
	Journals []string // of finished sweeps, whose points are chosen for by leave-one-out
	Worst    bool     // list the worst choices of the held-out half too, which nobody should tune to
}

// TunerReport holds choices and predicted times against what was measured on one kind of
// GPU, and choices learned from other inputs against the best.
type TunerReport struct {
	Device string `json:"device"`
	// MeasuredPoints is the number of measured points that the model has learned
	// from: with any, its checks on recorded calls are Seen.
	MeasuredPoints int `json:"measured_points"`
	// NotMeasured are candidates without recordings, which are left out of all choices.
	NotMeasured []variant.Variant `json:"not_measured,omitempty"`
	Models      []ModelLoss       `json:"models"`
	Parts       []TunerPart       `json:"parts"`
	// Launches says what choices of implementation and launch together lose.
	Launches []LaunchLoss `json:"launches"`
	// Portfolio says what the best of all measured implementations leaves to be gained.
	Portfolio []PortfolioRow `json:"portfolio"`
	// Curve is of the held-out half, after a correction by measured points of the other, as
	// Online is, of repeated launches. Learners is the program's own table.
	Curve    []CurvePoint          `json:"learning_curve"`
	Online   []online.OnlineRow    `json:"online"`
	Learners []learners.LearnerRow `json:"learners"`
	// LeaveOneOut says how far from the best choices are that were learned from
	// other inputs, and Published what [egielski14] reports of its own.
	LeaveOneOut []leaveoneout.OffOptimal `json:"leave_one_out"`
	Published   []leaveoneout.PaperOff   `json:"published"`
	Checks      []validate.Check         `json:"checks"`
	Failed      []string                 `json:"failed"`
}

// ModelLoss is what an embedded model's choices lose on the points of its own
// sweep, in simulated time.
type ModelLoss struct {
	Device     string           `json:"device"`
	Points     int              `json:"points"`
	Evaluation model.Evaluation `json:"evaluation"`
	// Calibration holds the gates of its correction by recorded calls, nil without one.
	Calibration *model.Calibration `json:"calibration,omitempty"`
}

// Tuner holds choices and predicted times to the recordings, of which the embedded model has
// learned from the fit part, how to correct times and how wide intervals are. A model that learned from
// measured points is judged too, but held to nothing on recorded calls. Errors wrap
// ErrValidate.
func Tuner(o TunerOptions) (r TunerReport, err error) {
	defer validate.Wrap(&err)
	gaps := map[string]validate.Gap{}
	if o.own() {
		if gaps, err = tunerGaps(); err != nil {
			return r, err
		}
	}
	if r, err = evaluated(o); err != nil {
		return r, err
	}
	r.Failed = judged(r.Checks, gaps, len(o.Journals) > 0)
	return r, nil
}

func (o TunerOptions) archive() *archive.Archive { return cmp.Or(o.Archive, h200.Archive) }

// own reports whether the H200's embedded model is judged.
func (o TunerOptions) own() bool { return o.Model == nil && o.archive() == h200.Archive }

// evaluated is a report without known gaps.
func evaluated(o TunerOptions) (r TunerReport, err error) {
	sweeps, err := leaveoneout.OfSweeps(o.Journals)
	if err != nil {
		return r, err
	}
	if o.own() {
		r, err = ownEvaluation()
	} else {
		r, err = evaluate(o.archive(), o.Model)
	}
	if err != nil {
		return r, err
	}
	r.Published, r.Checks = leaveoneout.PublishedOff(), slices.Clone(r.Checks)
	r.LeaveOneOut = append(slices.Clone(r.LeaveOneOut), sweeps...)
	for _, row := range sweeps {
		r.Checks = append(r.Checks, row.Checks()...)
	}
	if !o.Worst {
		r.Parts = slices.Clone(r.Parts)
		for i := range r.Parts {
			if r.Parts[i].Part == heldOutPart {
				r.Parts[i].Worst = []WorstChoice{}
			}
		}
	}
	return r, nil
}

// ownEvaluation is that of the H200's embedded model, made once.
var ownEvaluation = sync.OnceValues(func() (TunerReport, error) {
	return evaluate(h200.Archive, nil)
})

// simulatedLoss is the limit of a model's mean loss on points that its trees had not seen.
const simulatedLoss = 1.15

// The learning curve of a report: numbers of measured points, and draws of each.
var curveSizes = []int{0, 10, 50, 200, 1000}

const curveDraws = 3

// evaluate is what a model comes to, nil for the embedded one, without sweeps and known gaps.
func evaluate(a *archive.Archive, m *model.Model) (r TunerReport, err error) {
	r.Device = a.Name()
	if r.Models, err = modelLosses(a.Name()); err != nil {
		return r, err
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
	if err := r.judgeParts(a, m); err != nil {
		return r, err
	}
	if err := r.judgeQuick(a); err != nil {
		return r, err
	}
	if err := r.judgeLaunches(a, m); err != nil {
		return r, err
	}
	if err := r.judgePortfolio(a); err != nil {
		return r, err
	}
	base := m
	if base == nil {
		if base, err = recorded.Model(a.Name()); err != nil {
			return r, err
		}
	}
	sizes := curveSizes
	if base = base.Uncalibrated(); base == nil { // a correction comes from the same points
		sizes = sizes[1:] // without, closed forms alone are a line of each part
	}
	r.Curve, err = LearningCurve(context.Background(), a, base, sizes, curveDraws)
	if err != nil {
		return r, err
	}
	r.Checks = append(r.Checks, curveChecks(r.Curve)...)
	if r.Online, err = online.Replayed(a, m); err != nil {
		return r, err
	}
	for _, row := range r.Online {
		r.Checks = append(r.Checks, seen(row.Checks(), r.MeasuredPoints)...)
	}
	if r.Learners, err = learners.KnownLearners(); err != nil {
		return r, err
	}
	if r.LeaveOneOut, err = leaveoneout.OfRecordings(a); err != nil {
		return r, err
	}
	for _, row := range r.LeaveOneOut {
		r.Checks = append(r.Checks, row.Checks()...)
	}
	return r, nil
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

// tunerGapsFile lists the figures of the tuner that do not keep their limit,
// with what they keep instead and why. ATOMTUNE_UPDATE_GOLDEN=1 with the tests
// writes it anew and keeps the reasons.
const tunerGapsFile = "gaps.csv"

//go:embed gaps.csv
var tunerGapsText []byte

func tunerGaps() (map[string]validate.Gap, error) {
	return validate.DecodeGaps(tunerGapsFile, tunerGapsText)
}

// judged marks the known gaps among the checks and lists what has failed. Gaps
// of sweeps are passed over where none was judged.
func judged(checks []validate.Check, gaps map[string]validate.Gap, sweeps bool) []string {
	if !sweeps {
		gaps = maps.Clone(gaps)
		maps.DeleteFunc(gaps, func(item string, _ validate.Gap) bool {
			return strings.HasPrefix(item, leaveoneout.SweepItem)
		})
	}
	return validate.Judge(checks, gaps)
}
