package main

import (
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/choices"
	"github.com/atomtune/atomtune/tuner/model"
)

// madeUp is a short report in place of an evaluation that takes many seconds; the tests of
// package choices make the true one, and those of this package with ATOMTUNE_FULL=1.
func madeUp(o choices.TunerOptions) (r choices.TunerReport, err error) {
	r.Device, r.Failed = "h200", []string{}
	loss := model.Loss{Points: 4, GeometricMean: 1.02, P90: 1.1, Max: 1.3}
	r.Parts = []choices.TunerPart{{Part: "held-out", Rules: []choices.RuleLoss{{Rule: "always naive", Loss: loss}}}}
	r.Checks = []validate.Check{validate.AtMost("geometric mean", 1.02, 1.05, validate.UnitTimes, 932)}
	if o.Model != nil {
		r.Checks[0].Value = 2
		r.Failed = validate.Judge(r.Checks, nil)
	}
	return r, nil
}

// TestValidate: a subject's checks as JSON and as a page; a limit that is not kept is a failure that names it.
func TestValidate(t *testing.T) {
	for _, subject := range []string{"tuner", "scratchpad"} {
		var doc validateDocument
		decode(t, done(t, "validate", subject, "--json"), &doc)
		if doc.Subject != subject || len(doc.Checks) == 0 || len(doc.Failed) != 0 {
			t.Errorf("%+v", doc)
		}
	}
	if page := done(t, "validate", "tuner"); !strings.Contains(page, "| geometric mean | 1.02 times |") ||
		strings.Contains(page, "%!") {
		t.Error(page)
	}
	if golden.Full() {
		return
	}
	got := atomlab("validate", "tuner", "--model", "../../tuner/model/embedded/h200.json.gz")
	if got.Code != exitFailed || !strings.Contains(got.Stderr, errNotValid.Error()+": geometric mean") {
		t.Errorf("exit code %d, %s", got.Code, got.Stderr)
	}
}
