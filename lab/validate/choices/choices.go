// Package choices holds the tuner's choices and predicted times against the calls of an
// archive, those recorded on NVIDIA H200s unless told otherwise, beside simple rules.
package choices

import (
	"cmp"
	_ "embed"
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
	// Known is how far judging by the same archive, model and journals came before. Keep, if not nil, is given
	// that after each further step; its error ends the work.
	Known Progress
	Keep  func(Progress) error
}

// Progress is a report as far as it has come.
type Progress struct {
	Steps  int                      `json:"steps"` // that are done
	Sweeps []leaveoneout.OffOptimal `json:"sweeps"`
	Report TunerReport              `json:"report"`
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
	var p Progress
	if o.own() && o.Keep == nil && o.Known.Steps == 0 {
		p, err = ownProgress(o.Journals)
	} else {
		p, err = evaluate(o)
	}
	if err != nil {
		return r, err
	}
	r = p.Report
	r.Published, r.Checks = leaveoneout.PublishedOff(), slices.Clone(r.Checks)
	r.LeaveOneOut = append(slices.Clone(r.LeaveOneOut), p.Sweeps...)
	for _, row := range p.Sweeps {
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

// ownProgress is evaluate for the H200's embedded model, which is evaluated once.
func ownProgress(journals []string) (Progress, error) {
	sweeps, err := leaveoneout.OfSweeps(journals)
	if err != nil {
		return Progress{}, err
	}
	p, err := ownEvaluation()
	p.Sweeps = sweeps
	return p, err
}

var ownEvaluation = sync.OnceValues(func() (Progress, error) { return evaluate(TunerOptions{}) })

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
