package choices

import (
	"slices"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// quickPart are the held-out streams, chosen for by the profile of a quick calibration.
const quickPart = "held-out, quick calibration"

// The limits of the losses by a quick calibration, times the best.
const quickMean, quickP90, quickMost = 1.04, 1.12, 1.4

// judgeQuick judges the closed forms on the profile of the archive's quick calibration, if it has
// one, by the calls of the held-out half.
func (r *TunerReport) judgeQuick(a *archive.Archive) error {
	quick, err := a.Quick()
	if quick == nil || err != nil {
		return err
	}
	gpu, err := quick.Profile()
	if err != nil {
		return err
	}
	questions, err := recorded.OfPart(a, recordings.HeldOut)
	if err != nil {
		return err
	}
	questions = slices.Clone(questions)
	for i := range questions {
		questions[i].Device = gpu
	}
	list, _, err := answers(questions, nil)
	if err != nil {
		return err
	}
	every := func(*recorded.Question) bool { return true }
	p := recordedPart{quickPart, true, every}.judge(list)
	r.Parts = append(r.Parts, p)
	r.Checks = append(r.Checks, p.within(quickMean, quickP90, quickMost)...)
	return nil
}
