package leaveoneout

import (
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/variant"
)

// halves returns a table of recorded questions and the places of two halves of its streams.
// With odd, the implementation that is last in the mean is by far the fastest in the second.
func halves(t *testing.T, odd bool) (whole *table, first, second []int) {
	t.Helper()
	questions, err := recorded.Questions(h200.Archive)
	if err != nil {
		t.Fatal(err)
	}
	var some []recorded.Question
	for i := 0; i < len(questions); i += 25 {
		some = append(some, questions[i])
	}
	whole, err = recordedTable(some)
	if err != nil {
		t.Fatal(err)
	}
	sorted := slices.Index(whole.variants, variant.Variant{Base: variant.Sort})
	for i := range whole.inputs {
		if i%2 == 0 {
			first = append(first, i)
			continue
		}
		second = append(second, i)
		if in := &whole.inputs[i]; odd && in.ran(sorted) {
			in.us[sorted] = in.least() / 30
		}
	}
	return whole, first, second
}

// TestRulesReadTheOthers: what a rule says of inputs does not change with their own times, of
// which it has not learned.
func TestRulesReadTheOthers(t *testing.T) {
	plain, first, second := halves(t, false)
	odd, _, _ := halves(t, true)
	if len(first) < 30 || len(second) < 30 {
		t.Fatalf("%d and %d inputs", len(first), len(second))
	}
	for _, r := range rules() {
		if r.folds < 2 {
			t.Errorf("%s: inputs are held out in %d folds", r.name, r.folds)
		}
		scores := func(whole *table, others []int) (all []float64) {
			score, err := r.learn(whole, others)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range second {
				one, err := score(&whole.inputs[i])
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, one...)
			}
			return all
		}
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		want := scores(plain, first)
		if !slices.EqualFunc(scores(odd, first), want, same) {
			t.Errorf("%s: the times of what is held out change its scores", r.name)
		}
		// The check can fail: a rule that learns at all learns of such times.
		if r.name != formsRule && slices.EqualFunc(scores(odd, second), want, same) {
			t.Errorf("%s: has not learned from other times", r.name)
		}
	}
}

// TestLimitIsThePapers: atomtune's own means are held to the largest that the paper publishes.
func TestLimitIsThePapers(t *testing.T) {
	largest := 0.0
	for _, row := range PublishedOff() {
		largest = max(largest, row.Percent)
	}
	o := OffOptimal{Rule: correctedRule, Inputs: 1}
	if checks := o.Checks(); len(checks) != 1 || checks[0].Limit != largest {
		t.Errorf("checks %+v, the paper's largest mean is %v %%", checks, largest)
	}
}
