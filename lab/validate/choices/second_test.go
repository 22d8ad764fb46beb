package choices

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// secondPart is the H200's second validation set.
var secondPart = setPart(h200.Second).name

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
// right ones keep and wrong ones do not.
func TestSecondChecks(t *testing.T) {
	second, err := recorded.SetQuestions(h200.Second)
	if err != nil {
		t.Fatal(err)
	}
	part := setPart(h200.Second)
	broken := func(factor float64) (n int) {
		var list []tunerAnswer
		for i := range second {
			a := tunerAnswer{Question: &second[i]}
			best := fastest(&a)
			us := factor * best.measuredUS
			a.choice = forecast{best.of, us, 0.9 * us, 1.1 * us, best.measuredUS,
				1.5 * best.measuredUS}
			a.closed, a.each = best.of, []forecast{a.choice}
			list = append(list, a)
		}
		for _, c := range part.judge(list).checks() {
			if c.Rows < len(second) || c.Status != validate.Enforced {
				t.Errorf("%+v", c)
			}
			if c.Failure() != "" {
				n++
			}
		}
		return n
	}
	if right, wrong := broken(1), broken(2); !part.enforced || right != 0 || wrong != 3 {
		t.Errorf("%d limits broken by right predictions, %d by those of twice the time", right, wrong)
	}
}

// TestSeen: a model that has learned from measured points is held to nothing, but
// what was not compared still fails.
func TestSeen(t *testing.T) {
	broken := func() []validate.Check {
		return []validate.Check{{Item: "x", Value: 3, Limit: 1, Unit: validate.UnitTimes, Rows: 5,
			Status: validate.Enforced}}
	}
	if c := seen(broken(), 0)[0]; c.Status != validate.Enforced || c.Failure() == "" {
		t.Errorf("%+v", c)
	}
	c := seen(broken(), 1234)[0]
	if c.Status != validate.Seen || c.Reason != "the model has seen 1234 measured points" ||
		c.Failure() != "" {
		t.Errorf("%+v: %s", c, c.Failure())
	}
	c.Rows = 0
	if c.Failure() == "" {
		t.Error("nothing was compared, and that is no failure")
	}
	c.Rows, c.Value = 5, math.NaN()
	if c.Failure() == "" {
		t.Error("no value, and that is no failure")
	}
}
