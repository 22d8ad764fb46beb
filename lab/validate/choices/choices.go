// Package choices holds the tuner's choices and predicted times against the calls of an
// archive, those recorded on NVIDIA H200s unless told otherwise, beside simple rules.
package choices

import (
	"cmp"
	_ "embed"
	"slices"
	"sync"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/tuner/model"
)

// TunerOptions say what of the tuner is judged.
type TunerOptions struct {
	// Archive judges by its calls; nil is the H200's.
	Archive *archive.Archive
	// Model corrects the closed forms of the archive's GPU; nil is the embedded one. Known gaps are
	// those of the H200's embedded model: with another each limit is enforced.
	Model *model.Model
}

// TunerReport holds choices and predicted times against what was measured on one kind of
// GPU.
type TunerReport struct {
	Device string `json:"device"`
	// Intervals are those of TunerOptions.Model where they are of other calls than the embedded model's, which
	// are of the half to fit: checks of what they hold are Seen.
	Intervals *model.Intervals `json:"intervals"`
	// NotMeasured are candidates without recordings, which are left out of all choices.
	NotMeasured []impl.Spec `json:"not_measured,omitempty"`
	Models      []ModelLoss `json:"models"`
	Parts       []TunerPart `json:"parts"`
	// Launches says what choices of implementation and launch together lose.
	Launches []LaunchLoss     `json:"launches"`
	Checks   []validate.Check `json:"checks"`
	Failed   []string         `json:"failed"`
}

// ModelLoss is what an embedded model's choices lose on the points of its own
// sweep, in simulated time.
type ModelLoss struct {
	Device     string           `json:"device"`
	Leaves     int              `json:"leaves"`
	Points     int              `json:"points"`
	Evaluation model.Evaluation `json:"evaluation"`
	Intervals  *model.Intervals `json:"intervals,omitempty"` // nil where no call was recorded
}

// Tuner holds choices and predicted times to the recordings, of which the embedded model has
// learned from the fit part how wide intervals are, and nothing else. Errors wrap ErrValidate.
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
	r.Failed = validate.Judge(r.Checks, gaps)
	return r, nil
}

func (o TunerOptions) archive() *archive.Archive { return cmp.Or(o.Archive, h200.Archive) }

// own reports whether the H200's embedded model is judged.
func (o TunerOptions) own() bool { return o.Model == nil && o.archive() == h200.Archive }

// evaluated is a report without known gaps.
func evaluated(o TunerOptions) (r TunerReport, err error) {
	if o.own() {
		r, err = ownEvaluation()
	} else {
		r, err = evaluate(o)
	}
	if err != nil {
		return r, err
	}
	r.Checks = slices.Clone(r.Checks)
	return r, nil
}

// ownEvaluation is evaluate for the H200's embedded model, once.
var ownEvaluation = sync.OnceValues(func() (TunerReport, error) { return evaluate(TunerOptions{}) })

// tunerGapsFile lists the figures of the tuner that do not keep their limit,
// with what they keep instead and why. ATOMTUNE_UPDATE_GOLDEN=1 with the tests
// writes it anew and keeps the reasons.
const tunerGapsFile = "gaps.csv"

//go:embed gaps.csv
var tunerGapsText []byte

func tunerGaps() (map[string]validate.Gap, error) {
	return validate.DecodeGaps(tunerGapsFile, tunerGapsText)
}
