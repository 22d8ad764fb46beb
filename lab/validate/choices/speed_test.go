package choices

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner"
)

// TestTimeError: errors and covered shares of four times.
func TestTimeError(t *testing.T) {
	list := []forecast{
		{predictedUS: 10, lowUS: 8, highUS: 12, measuredUS: 10}, {predictedUS: 10, lowUS: 8, highUS: 12,
			measuredUS: 8},
		{predictedUS: 10, lowUS: 9, highUS: 11, measuredUS: 20}, {predictedUS: 30, lowUS: 29, highUS: 31,
			measuredUS: 20},
	}
	for i := range list {
		list[i].closedUS = list[i].measuredUS * math.Exp(0.5)
	}
	got := timeError(list)
	if math.Abs(got.LnRMSE-0.4167) > 1e-4 || math.Abs(got.ClosedLnRMSE-0.5) > 1e-9 {
		t.Errorf("errors in ln: %+v", got)
	}
	got.LnRMSE, got.ClosedLnRMSE = 0, 0
	if want := (TimeError{4, 37.5, 50, 50, 0, 0}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestTunerSpeed: each kind is timed, and a choice does not allocate.
func TestTunerSpeed(t *testing.T) {
	questions, err := recorded.Questions(h200.Archive)
	if err != nil {
		t.Fatal(err)
	}
	c, err := tuner.NewChooser(questions[0].Device, tuner.Options{Call: questions[0].Call})
	if err != nil {
		t.Fatal(err)
	}
	checks, err := timePicks(c, []*collision.Stats{questions[0].Stats, questions[1].Stats},
		"some kind")
	if err != nil || len(checks) != 2 || !(checks[0].Value > 0) || checks[0].Rows != 2 ||
		checks[1].Failure() != "" {
		t.Errorf("%+v, %v", checks, err)
	}
	sampled, err := sampledSpeed(questions[0].Device, nil, leastSampled)
	if err != nil || len(sampled) != 1 || !(sampled[0].Value > 0) ||
		sampled[0].Limit != mostSampledUS {
		t.Errorf("%+v, %v", sampled, err)
	}
}
