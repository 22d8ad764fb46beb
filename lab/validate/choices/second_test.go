package choices

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/model"
)

// TestSecondApart: the second validation set has 120 streams with four kinds of call each, none
// among the recordings from which others learn, and no other part takes them.
func TestSecondApart(t *testing.T) {
	second, err := recorded.SetQuestions(h200.Second)
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := recorded.Questions(h200.Archive)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for i := range recorded {
		known[recorded[i].Label] = true
		if setPart(h200.Second).takes(&recorded[i]) {
			t.Fatalf("%s is in the second validation set's part", recorded[i].Label)
		}
	}
	streams := map[string]bool{}
	for i := range second {
		q := &second[i]
		streams[q.Label] = true
		if known[q.Label] || !setPart(h200.Second).takes(q) {
			t.Fatalf("%s: among the other recordings %v", q.Label, known[q.Label])
		}
	}
	if len(streams) != 120 || len(second) != 4*120 {
		t.Errorf("%d questions on %d streams", len(second), len(streams))
	}
}

// TestSecondChecks: answers to the second validation set have the limits of the held-out half, which
// right ones keep and wrong ones do not. Without intervals there is no check of what they hold.
func TestSecondChecks(t *testing.T) {
	second, err := recorded.SetQuestions(h200.Second)
	if err != nil {
		t.Fatal(err)
	}
	part := setPart(h200.Second)
	broken := func(factor, width float64) (checks, n int) {
		var list []tunerAnswer
		for i := range second {
			a := tunerAnswer{Question: &second[i]}
			best := fastest(&a)
			us := factor * best.measuredUS
			a.choice = forecast{best.of, us, us / width, us * width, best.measuredUS, 1.5 * best.measuredUS}
			a.once, a.closed, a.each = a.choice, best.of, []forecast{a.choice}
			list = append(list, a)
		}
		p := part.judge(list)
		all := append(p.checks(), p.covered()...)
		for _, c := range all {
			if c.Rows < len(second) || c.Status != validate.Enforced {
				t.Errorf("%+v", c)
			}
			if c.Failure() != "" {
				n++
			}
		}
		return len(all), n
	}
	for _, c := range []struct {
		factor, width  float64
		checks, broken int
	}{{1, 1.1, 7, 0}, {2, 1.1, 7, 2}, {2, math.NaN(), 6, 1}} {
		if checks, n := broken(c.factor, c.width); !part.enforced || checks != c.checks || n != c.broken {
			t.Errorf("%+v: %d limits, %d broken", c, checks, n)
		}
	}
}

// TestSeen: intervals of any calls are held to nothing, but what was not compared still fails.
func TestSeen(t *testing.T) {
	check := func(of *model.Intervals, rows int, value float64) validate.Check {
		return seen([]validate.Check{{Item: "x", Value: value, Limit: 1, Unit: validate.UnitTimes, Rows: rows,
			Status: validate.Enforced}}, of)[0]
	}
	some := &model.Intervals{Points: 1234}
	if c := check(nil, 5, 3); c.Status != validate.Enforced || c.Failure() == "" {
		t.Errorf("%+v", c)
	}
	if c := check(some, 5, 3); c.Status != validate.Seen || c.Failure() != "" {
		t.Errorf("%+v: %s", c, c.Failure())
	}
	if check(some, 0, 3).Failure() == "" || check(some, 5, math.NaN()).Failure() == "" {
		t.Error("nothing was compared, or there is no value, and that is not a failure")
	}
}

// TestValidationSets: the sets that judge are the archive's, each on its own questions alone.
func TestValidationSets(t *testing.T) {
	files := os.DirFS("../../../datasets/h200")
	sets, err := allJudged(archive.New("h200", files, "misses", "hotspots"))
	if err != nil || len(sets) != 3 || len(sets[0].parts) != len(recordedParts()) {
		t.Fatalf("%d sets, %v", len(sets), err)
	}
	for i, want := range []struct {
		name      string
		questions int
	}{{"misses validation set", 4 * 81}, {"hotspots validation set", 4 * 72}} {
		set := sets[i+1]
		part := set.parts[0]
		if len(set.parts) != 1 || part.name != want.name || len(set.questions) != want.questions {
			t.Fatalf("%s: %d parts, %d questions", part.name, len(set.parts), len(set.questions))
		}
		for j := range set.questions {
			if !part.takes(&set.questions[j]) {
				t.Errorf("%s is not of the %s", set.questions[j].Label, part.name)
			}
		}
		if part.takes(&sets[0].questions[0]) || part.takes(&sets[2-i].questions[0]) {
			t.Errorf("the %s takes what is in none or in another", part.name)
		}
	}
	if own := sets[0].questions; len(own) < 1800 {
		t.Errorf("%d questions in no set", len(own))
	}
	if _, err := allJudged(archive.New("h200", files, "none")); err == nil {
		t.Error("a validation set that is not there judges")
	}
}

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
	all := recordedParts()[0].judge(list)
	part := partOf(t, r, quickPart)
	full, quick := all.Rules[ruleOwn].Loss, part.Rules[ruleOwn].Loss
	if part.Questions != len(questions) || quick.GeometricMean > 1.002*full.GeometricMean ||
		quick.P90 > 1.01*full.P90 || quick.Max > full.Max {
		t.Errorf("by the quick calibration %+v, by the full one %+v", quick, full)
	}
	if part.Choice.MedianPercent == all.Choice.MedianPercent {
		t.Error("the quick calibration predicts as the full one")
	}
	for _, c := range r.Checks {
		known := strings.HasSuffix(c.Item, "maximum") ||
			strings.HasSuffix(c.Item, "median error") && c.Value < 1.4*c.Limit
		if failure := c.Failure(); failure != "" && !known {
			t.Error(failure)
		}
	}
}

// fastest is the implementation with the least measured time, the first of equal
// ones. Its predicted time is 0 where there is none.
func fastest(a *tunerAnswer) (best forecast) {
	best.measuredUS = math.Inf(1)
	for _, v := range recorded.OnDevice() {
		if us, ok := a.US[v]; ok && us < best.measuredUS {
			best = forecast{of: v, measuredUS: us}
		}
	}
	for _, f := range a.each {
		if f.of == best.of {
			return f
		}
	}
	return best
}
