package training

import (
	"slices"
	"testing"

	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// even returns a training of two variants on four families of 25 samples; the
// closed form takes the first for faster, the simulator the second by a factor.
func even(factor float64) *Training {
	t := &Training{Variants: []variant.Variant{{}, {Base: variant.Sort}},
		Families: []string{"a", "b", "c", "d"}}
	for i := range 100 {
		s := Sample{Family: t.Families[i%4], Line: i / 8, Complete: true,
			X: make([]float64, model.NumStreamFeatures), perUpdate: 1}
		s.X[1] = float64(i / 4 % 10)
		s.add(1, factor)
		s.add(1.1, 1.1)
		t.Samples = append(t.Samples, s)
	}
	return t
}

// TestSearch: trees are used where they significantly choose better, and else not.
func TestSearch(t *testing.T) {
	for _, c := range []struct {
		factor float64
		used   bool
	}{{2, true}, {1.05, false}, {1, false}} {
		training := even(c.factor)
		n, err := training.ensemble(model.FitOptions{}.Normal())
		if err != nil {
			t.Fatal(err)
		}
		chosen, out, err := n.familyOut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if used := chosen[0].shrink > 0; used != c.used {
			t.Errorf("factor %v: settings %+v", c.factor, chosen)
		}
		losses := training.losses(all, training.corrected(out.value))
		if len(losses) != 100 || slices.Max(losses) != 0 {
			t.Fatalf("factor %v: losses %v", c.factor, losses)
		}
	}
}

// TestGains: what says the right thing gains, what says it of other times, or says
// nothing, does not.
func TestGains(t *testing.T) {
	double, right := even(2), even(1)
	n, err := double.ensemble(model.FitOptions{}.Normal())
	if err != nil {
		t.Fatal(err)
	}
	_, out, err := n.familyOut(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !double.gains(out) || right.gains(out) {
		t.Errorf("trees gain %t where they are needed, %t where the closed forms are right",
			double.gains(out), right.gains(out))
	}
	silent := *out
	silent.chosen = slices.Repeat([][]hyperparameters{slices.Repeat(grid[:1], len(double.Variants))},
		len(double.Families))
	if double.gains(&silent) {
		t.Error("a gain without corrections")
	}
}

// TestIntervalCovers: ends from other families hold the nominal share of each.
func TestIntervalCovers(t *testing.T) {
	training := even(1)
	for i := range training.Samples {
		off := 0.02 * float64(i%4+1) * float64(i/4%25-12)
		training.Samples[i].Target[0] = off
	}
	h := training.newHeldOut(training.familyFolds())
	h.chosen = slices.Repeat([][]hyperparameters{make([]hyperparameters, 2)}, 4)
	rows := make([]int, len(training.Samples))
	for i := range rows {
		rows[i] = i
	}
	low, high, inside := training.interval(0, rows, h, 1)
	held := 0
	for _, in := range inside {
		if in {
			held++
		}
	}
	if held < 90 || held == 100 && high > 1 || low >= 0 || high <= 0 {
		t.Errorf("%d of 100 between %v and %v", held, low, high)
	}
}
