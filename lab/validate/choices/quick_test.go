package choices

import (
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// TestQuick: a calibration of seconds chooses on the H100's held-out half as the full profile does,
// within 0.2 % in the mean, and keeps the limits but that of the worst choice, which the full
// profile makes as badly, and that of predicted times: its host took longest to launch. An archive
// without one is judged without.
func TestQuick(t *testing.T) {
	var r, none TunerReport
	if err := r.judgeQuick(h100.Archive); err != nil {
		t.Fatal(err)
	}
	if err := none.judgeQuick(h200.Archive); err != nil || len(none.Parts)+len(none.Checks) > 0 {
		t.Errorf("%d parts, %d checks, %v", len(none.Parts), len(none.Checks), err)
	}
	questions, err := recorded.OfPart(h100.Archive, recordings.HeldOut)
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := answers(questions, nil)
	if err != nil {
		t.Fatal(err)
	}
	full := recordedParts()[0].judge(list).figures()
	part := partOf(t, r, quickPart)
	quick := part.figures()
	if part.Questions != len(questions) || quick.GeometricMean > 1.002*full.GeometricMean ||
		quick.P90 > 1.01*full.P90 || quick.Max > full.Max {
		t.Errorf("by the quick calibration %+v, by the full one %+v", quick, full)
	}
	if quick.MedianErrorPercent == full.MedianErrorPercent {
		t.Error("the quick calibration predicts as the full one")
	}
	for _, c := range r.Checks {
		known := strings.HasSuffix(c.Item, "maximum") ||
			strings.HasSuffix(c.Item, "median error") && c.Value < 1.3*c.Limit
		if failure := c.Failure(); failure != "" && !known {
			t.Error(failure)
		}
	}
}
