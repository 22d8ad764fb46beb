package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/choices"
	"github.com/atomtune/atomtune/lab/validate/leaveoneout"
	"github.com/atomtune/atomtune/lab/validate/online"
	"github.com/atomtune/atomtune/tuner/model"
)

// madeUp is a short report in place of an evaluation that takes many seconds; the tests of
// package choices make the true one, and those of this package with ATOMTUNE_FULL=1.
func madeUp(o choices.TunerOptions) (r choices.TunerReport, err error) {
	loss := model.Loss{Points: 4, GeometricMean: 1.02, P90: 1.1, Max: 1.3}
	group := []choices.GroupLoss{{Group: "zipf", Choice: loss, ClosedForm: loss}}
	r.Device, r.Failed, r.Published = "h200", []string{}, leaveoneout.PublishedOff()
	for _, name := range []string{"held-out", "held-out, synthetic", "fit"} {
		p := choices.TunerPart{Part: name, Streams: 196, Questions: 784, ByType: group, ByFamily: group,
			Rules: []choices.RuleLoss{{Rule: "always naive", Loss: loss, Long: loss}}}
		if name == "fit" || o.Worst && name == "held-out" {
			p.Worst = make([]choices.WorstChoice, 10)
		}
		r.Parts = append(r.Parts, p)
	}
	r.Online = []online.OnlineRow{{Rule: "online.Online", Launches: 10, Questions: 233, Loss: loss,
		Stated: &online.StatedRegret{Epsilon: 0.05, LostLaunches: 12}}}
	r.Models = []choices.ModelLoss{{Device: "h200", Points: 4000, Intervals: &model.Intervals{Streams: 123}}}
	r.LeaveOneOut = []leaveoneout.OffOptimal{{Device: "h200", Rule: "closed forms", Inputs: 1864}}
	for range 18 {
		r.Checks = append(r.Checks, validate.AtMost("geometric mean", 1.02, 1.05, validate.UnitTimes,
			932))
	}
	return r, nil
}

// TestValidateTuner: the report as a document and as tables; the worst choices
// of the held-out half on demand alone.
func TestValidateTuner(t *testing.T) {
	var doc, open tunerDocument
	for line, into := range map[string]*tunerDocument{"validate tuner": &doc, "validate tuner --worst": &open} {
		decode(t, done(t, strings.Fields(line+" --json")...), into)
	}
	if doc.Subject != "tuner" || doc.Device != "h200" || len(doc.Parts) < 3 || len(doc.Failed) != 0 ||
		len(doc.Checks) < 18 || doc.Intervals != nil {
		t.Errorf("%+v", doc.Checks)
	}
	if len(doc.Parts[0].Worst) != 0 || len(open.Parts[0].Worst) != 10 {
		t.Errorf("%d and, on demand, %d worst choices of %s", len(doc.Parts[0].Worst),
			len(open.Parts[0].Worst), doc.Parts[0].Part)
	}
	simulated := 2.5
	doc.Published[0].SimulatedPercent = &simulated
	doc.Failed = []string{"something: 3, limit 2"}
	doc.NotMeasured = []impl.Spec{{Algorithm: impl.Sort}}
	var out bytes.Buffer
	printTuner(&out, "NVIDIA H200", doc)
	for _, word := range []string{"always naive", "fit: the worst choices", "9.41       2.50", "online.Online", " of 233",
		"  123  ", doc.Failed[0], "[sort]"} {
		if !strings.Contains(out.String(), word) {
			t.Errorf("no %q in\n%s", word, out.String())
		}
	}
	if strings.Contains(out.String(), "%!") {
		t.Errorf("wrong formats in\n%s", out.String())
	}
	if strings.Contains(out.String(), "held-out: the worst choices") {
		t.Error("worst choices of the held-out half without being asked")
	}
}

// TestEmitChecks: checks are printed, a failed one is the error, and what could not be made is
// not printed.
func TestEmitChecks(t *testing.T) {
	checks := []validate.Check{validate.AtMost("kept", 1, 2, "us", 3),
		validate.AtLeast("broken", 1, 2, "us", 3)}
	for n := range checks {
		var out bytes.Buffer
		err := newEnv(nil, &out, &out).emitChecks("some", checks[:n+1], nil)
		if (err == nil) != (n == 0) || err != nil && !strings.Contains(err.Error(), "broken: 1 us") {
			t.Errorf("%d checks: %v", n+1, err)
		}
		if text := out.String(); !strings.Contains(text, fmt.Sprintf("%d checks, %d ", n+1, n)) ||
			strings.Contains(text, "FAILED") != (n == 1) {
			t.Errorf("%d checks:\n%s", n+1, text)
		}
	}
	var out bytes.Buffer
	if err := newEnv(nil, &out, &out).emitChecks("some", checks, errNotValid); err != errNotValid ||
		out.Len() > 0 {
		t.Errorf("%v: %q", err, out.String())
	}
}

// TestPrintTunerSeen: the head and the checks say whether intervals are of any calls.
func TestPrintTunerSeen(t *testing.T) {
	const reason = "the model's intervals are of 1200 measured points"
	for points, c := range map[int]validate.Check{0: {Item: "x", Rows: 1, Status: validate.Enforced},
		1200: {Item: "x", Rows: 1, Value: 3, Status: validate.Seen, Reason: reason}} {
		doc := tunerDocument{Subject: "tuner"}
		doc.Parts = []choices.TunerPart{{Part: "held-out", Streams: 1, Questions: 1}}
		doc.Checks = []validate.Check{c}
		if points > 0 {
			doc.Intervals = &model.Intervals{Points: points}
		}
		var out bytes.Buffer
		printTuner(&out, "NVIDIA H200", doc)
		head, _, _ := strings.Cut(out.String(), "\n")
		if seen := points > 0; strings.Contains(head, "1,200") != seen || strings.Contains(out.String(), reason) != seen ||
			strings.Contains(out.String(), "FAILED") {
			t.Errorf("%d points:\n%s", points, out.String())
		}
	}
}
