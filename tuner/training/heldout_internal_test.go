package training

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/tuner/model"
)

// slower returns the even training in which the first variant is slower by a factor on the
// samples that want accepts.
func slower(factor float64, want func(i int, s *Sample) bool) *Training {
	t := even(2)
	for i := range t.Samples {
		s := &t.Samples[i]
		s.Line = i / 4 % 5 // lines across the families, each of several samples
		if want(i, s) {
			s.Simulated[0] *= factor
			s.Target[0] += math.Log(factor)
		}
	}
	return t
}

// unseen returns what trees without each fold say of its samples.
func unseen(t *testing.T, n *ensemble, fold []int, folds int) *heldOut {
	t.Helper()
	h, err := n.without(t.Context(), fold, folds)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestFoldsAreUnseen: trees, values and spreads of their leaves, that judge a family or a
// parameter sweep have not learned from it: whatever was simulated of it, they stay. Those that
// judge others change.
func TestFoldsAreUnseen(t *testing.T) {
	const poison = 3
	for name, folds := range map[string]func(*ensemble) ([]int, int){
		"family": func(n *ensemble) ([]int, int) { return n.family, len(n.Families) },
		"sweep":  func(n *ensemble) ([]int, int) { return n.sweepFolds(5), 5 },
	} {
		ensembleOf := func(of *Training) *ensemble {
			n, err := of.ensemble(model.FitOptions{MinRows: 10}.Normal())
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		plain := ensembleOf(slower(1, func(int, *Sample) bool { return false }))
		fold, count := folds(plain)
		want := unseen(t, plain, fold, count)
		for f := range count {
			odd := ensembleOf(slower(poison, func(i int, _ *Sample) bool { return fold[i] == f }))
			got := unseen(t, odd, fold, count)
			own, others := 0, 0
			for a := range alphas {
				for i := range fold {
					if got.leaves[0][a][i] == want.leaves[0][a][i] {
						continue
					}
					if fold[i] == f {
						own++
					} else {
						others++
					}
				}
			}
			if own != 0 || others == 0 {
				t.Errorf("%s %d is slower: %d of its own leaves change and %d of others'", name, f, own,
					others)
			}
		}
	}
}

// TestSweepFolds: the samples of a parameter sweep, which resemble each other, share a fold.
func TestSweepFolds(t *testing.T) {
	training := even(1)
	fold, at := training.sweepFolds(3), map[int]int{}
	for i, s := range training.Samples {
		if f, ok := at[s.Line]; ok && f != fold[i] {
			t.Errorf("sample %d of sweep %d is in fold %d, others in %d", i, s.Line, fold[i], f)
		}
		at[s.Line] = fold[i]
	}
	if used := slices.Compact(slices.Sorted(slices.Values(fold))); len(used) != 3 {
		t.Errorf("folds %v", used)
	}
}

// saying returns what trees would say that double the first variant's time on some families.
func saying(t *Training, families ...string) *heldOut {
	h := t.newHeldOut(t.familyFolds())
	for a := range alphas {
		for i, s := range t.Samples {
			if slices.Contains(families, s.Family) {
				h.leaves[0][a][i].value = math.Ln2
			}
		}
	}
	return h
}

// TestSettingsAreUnseen: the hyperparameters under which a family is judged are those that the
// other families choose. Here the trees help all but one, which they harm so that over all they
// do not gain.
func TestSettingsAreUnseen(t *testing.T) {
	training := even(2)
	for i := range training.Samples {
		if s := &training.Samples[i]; s.Family == "a" {
			s.Simulated = []float64{1, 5}
		}
	}
	h := saying(training, training.Families...)
	whole, err := (&ensemble{Training: training}).searchFolds(t.Context(), h, grid)
	if err != nil || len(h.chosen) != len(training.Families) {
		t.Fatalf("%d settings, %v", len(h.chosen), err)
	}
	for f, s := range append(h.chosen, whole) {
		if used := s[0].shrink > 0; used != (f == 0) {
			t.Errorf("without family %d of %v: settings %+v", f, training.Families, s)
		}
	}
}

// TestSignificance: trees are used where their gain is beyond two standard errors over the
// families. For that one family that gains is too little, and two of four are; three are enough.
func TestSignificance(t *testing.T) {
	for gaining, want := range []bool{false, false, false, true, true} {
		t.Run(fmt.Sprint(gaining), func(t *testing.T) {
			training := even(2)
			h := saying(training, training.Families[:gaining]...)
			chosen, err := (&ensemble{Training: training}).searchFolds(t.Context(), h, grid)
			if err != nil {
				t.Fatal(err)
			}
			if used := chosen[0].shrink > 0; used != want {
				t.Errorf("settings %+v", chosen)
			}
			full := []hyperparameters{{shrink: 1}, {}}
			h.chosen = slices.Repeat([][]hyperparameters{full}, len(training.Families))
			if gains, _ := training.compare(h); gains != want {
				t.Errorf("the models' choices gain: %t", gains)
			}
		})
	}
}

// TestIntervalIsUnseen: the ends that judge a family come from the others: one whose residuals
// lie ten times as far out is held only by ends wider than any residual.
func TestIntervalIsUnseen(t *testing.T) {
	training := even(1)
	rows := make([]int, len(training.Samples))
	for i := range training.Samples {
		rows[i] = i
		s := &training.Samples[i]
		s.Target[0] = 0.01 * float64(i/4%25-12)
		if s.Family == "d" {
			s.Target[0] *= 10
		}
	}
	h := training.newHeldOut(training.familyFolds())
	h.chosen = slices.Repeat([][]hyperparameters{make([]hyperparameters, 2)}, 4)
	low, high, _ := training.interval(0, rows, h, 1)
	if low > -1.5 || high < 1.5 { // the residuals are 1.2 at most
		t.Errorf("ends %v and %v", low, high)
	}
}
