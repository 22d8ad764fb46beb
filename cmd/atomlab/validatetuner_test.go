package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/choices"
	"github.com/atomtune/atomtune/lab/validate/learners"
	"github.com/atomtune/atomtune/lab/validate/leaveoneout"
	"github.com/atomtune/atomtune/lab/validate/online"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
	"github.com/atomtune/atomtune/variant"
)

// madeUp is a short report in place of an evaluation that takes many seconds; the tests of
// package choices make the true one, and those of this package with ATOMTUNE_FULL=1.
func madeUp(o choices.TunerOptions) (r choices.TunerReport, err error) {
	if len(o.Journals) > 0 {
		return choices.Tuner(o)
	}
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
	r.Curve = []choices.CurvePoint{{Points: 0}, {Points: 201}}
	r.Online = []online.OnlineRow{{Rule: "online.Online", Launches: 10, Questions: 233, Loss: loss,
		Stated: &online.StatedRegret{Epsilon: 0.05, LostLaunches: 12}}}
	r.Models = []choices.ModelLoss{{Device: "h200", Points: 4000}}
	r.LeaveOneOut = []leaveoneout.OffOptimal{{Device: "h200", Rule: "closed forms", Inputs: 1864}}
	for range 18 {
		r.Checks = append(r.Checks, validate.AtMost("geometric mean", 1.02, 1.05, validate.UnitTimes,
			932))
	}
	r.Learners, err = learners.KnownLearners()
	return r, err
}

// TestValidateTuner: the report as a document and as tables; the worst choices
// of the held-out half on demand alone.
func TestValidateTuner(t *testing.T) {
	t.Chdir(t.TempDir())
	var doc, open tunerDocument
	for line, into := range map[string]*tunerDocument{"validate tuner": &doc, "validate tuner --worst --figure curve": &open} {
		decode(t, done(t, strings.Fields(line+" --json")...), into)
	}
	if doc.Subject != "tuner" || doc.Device != "h200" || len(doc.Parts) < 3 || len(doc.Failed) != 0 ||
		len(doc.Checks) < 18 || doc.MeasuredPoints != 0 {
		t.Errorf("%+v", doc.Checks)
	}
	if len(doc.Parts[0].Worst) != 0 || len(open.Parts[0].Worst) != 10 {
		t.Errorf("%d and, on demand, %d worst choices of %s", len(doc.Parts[0].Worst),
			len(open.Parts[0].Worst), doc.Parts[0].Part)
	}
	for _, path := range []string{"curve.svg", "curve.png"} {
		if info, err := os.Stat(path); err != nil || info.Size() == 0 ||
			!slices.Contains(open.Written, path) {
			t.Errorf("%s: %v, written %v", path, err, open.Written)
		}
	}
	simulated := 2.5
	doc.Published[0].SimulatedPercent = &simulated
	doc.Failed = []string{"something: 3, limit 2"}
	doc.NotMeasured = []variant.Variant{{Base: variant.Sort}}
	var out bytes.Buffer
	printTuner(&out, "NVIDIA H200", doc)
	for _, word := range []string{"always naive", "fit: the worst choices", "9.41       2.50", "online.Online", " of 233",
		doc.Failed[0], "[sort]"} {
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

// TestValidateTunerGoesOn: an interrupted report keeps beside its figure how far it has come, and the same command
// goes on from there; without a figure nothing is kept, and the line says so.
func TestValidateTunerGoesOn(t *testing.T) {
	t.Chdir(t.TempDir())
	validate := func(line string, known int, last bool) (stderr string, code int) {
		var out, errs bytes.Buffer
		e := newEnv(nil, &out, &errs)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		e.judge = func(o choices.TunerOptions) (r choices.TunerReport, err error) {
			if o.Known.Steps != known || o.Known.Report.MeasuredPoints != known {
				t.Errorf("%s: %+v is known, want %d steps", line, o.Known, known)
			}
			r, err = madeUp(o)
			if r.MeasuredPoints = known + 1; !last {
				cancel()
			}
			if o.Keep == nil || last {
				return r, cmp.Or(err, ctx.Err())
			}
			return r, cmp.Or(err, o.Keep(choices.Progress{Steps: known + 1, Report: r}))
		}
		code = e.RunContext(ctx, newRoot(e), strings.Fields(line))
		return errs.String(), code
	}
	const line, journal = "validate tuner --figure curve", "curve.journal"
	for known := range 2 {
		stderr, code := validate(line, known, false)
		if code != 130 || !strings.Contains(stderr, journal+" keeps") {
			t.Errorf("exit code %d, %q", code, stderr)
		}
	}
	failed(t, exitFailed, line+" --gpu h100", journal+":1:", "h200")
	if stderr, code := validate(line, 2, true); code != exitDone || stderr != "" {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if left, err := filepath.Glob("*"); err != nil || !slices.Equal(left, []string{"curve.png", "curve.svg"}) {
		t.Errorf("%q, %v", left, err)
	}
	stderr, code := validate("validate tuner", 0, false)
	if code != 130 || strings.Contains(stderr, "keeps") {
		t.Errorf("without a figure: exit code %d, %q", code, stderr)
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

// TestPrintTunerSeen: the head and the checks say whether the model has learned from measured points.
func TestPrintTunerSeen(t *testing.T) {
	const reason = "the model has seen 1200 measured points"
	for points, c := range map[int]validate.Check{0: {Item: "x", Rows: 1, Status: validate.Enforced},
		1200: {Item: "x", Rows: 1, Value: 3, Status: validate.Seen, Reason: reason}} {
		doc := tunerDocument{Subject: "tuner"}
		doc.Parts = []choices.TunerPart{{Part: "held-out", Streams: 1, Questions: 1}}
		doc.MeasuredPoints, doc.Checks = points, []validate.Check{c}
		var out bytes.Buffer
		printTuner(&out, "NVIDIA H200", doc)
		head, _, _ := strings.Cut(out.String(), "\n")
		if seen := points > 0; strings.Contains(head, "1,200") != seen || strings.Contains(out.String(), reason) != seen ||
			strings.Contains(out.String(), "FAILED") {
			t.Errorf("%d points:\n%s", points, out.String())
		}
	}
}

// TestValidateTunerLearners: a table of learners is made of a sweep, and --learners
// goes with --journal alone.
func TestValidateTunerLearners(t *testing.T) {
	t.Chdir(t.TempDir())
	d, err := device.Builtin("gtx680")
	if err != nil {
		t.Fatal(err)
	}
	const points = 16 // too few to learn from: what the learners find is the subject of their tests
	sweep := model.Sweep{Points: points, Seed: 3, MaxUpdates: 1024, MaxBins: 256}
	if _, err := training.Collect(t.Context(), d, sweep, doubled{},
		training.CollectOptions{Journal: "sweep.jsonl"}); err != nil {
		t.Fatal(err)
	}
	var doc learnersDocument
	decode(t, done(t, strings.Fields("validate tuner --learners out.csv --journal sweep.jsonl --json")...), &doc)
	data, err := os.ReadFile("out.csv")
	if err != nil {
		t.Fatal(err)
	}
	fingerprint, rows, err := learners.DecodeLearners("out.csv", data)
	if err != nil || doc.Table != "out.csv" || len(rows) != len(learners.Learners()) ||
		len(doc.Learners) != len(rows) {
		t.Fatalf("%d rows, %d printed, %v", len(rows), len(doc.Learners), err)
	}
	if want, err := learners.LearnersFingerprint("sweep.jsonl"); err != nil || fingerprint != want {
		t.Errorf("fingerprint %s, want %s, %v", fingerprint, want, err)
	}
	for i, r := range rows {
		if r.Device != "gtx680" || r.Loss.Points != points || r.Learner != doc.Learners[i].Learner ||
			!(r.Loss.GeometricMean >= 1) {
			t.Errorf("%+v", r)
		}
	}
}

// doubled is a simulator in which every call takes twice its closed form.
type doubled struct{}

func (doubled) Simulate(v variant.Variant, d *device.Profile, c device.Call, indices []uint32,
	bins uint64) (float64, error) {
	s, err := collision.Analyze(indices, collision.Options{WarpSize: int(d.Core.WarpLanes.Value),
		Bins: bins, Workers: 1})
	if err != nil {
		return 0, err
	}
	cost, err := speedup.Predict(v, &s, d, c)
	return 2 * cost.US, err
}
