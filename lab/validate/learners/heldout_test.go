package learners

import (
	"context"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/tuner/training"
)

// TestLearnersLeaveFamiliesOut: a learner that judges a family has been given no sample of it,
// and all others.
func TestLearnersLeaveFamiliesOut(t *testing.T) {
	families := []string{"uniform", "zipf"}
	asked := map[string]int{}
	spy := Learner{Name: "spy", Fit: func(_ context.Context, fitted *training.Training,
		_ uint64) (Scores, error) {
		return func(s *training.Sample) []float64 {
			asked[s.Family]++
			if slices.Contains(fitted.Families, s.Family) || len(fitted.Families) < 3 {
				t.Errorf("learned from %v, asked about %s", fitted.Families, s.Family)
			}
			for i := range fitted.Samples {
				if fitted.Samples[i].Family == s.Family {
					t.Errorf("sample %d of %s is learned from", i, s.Family)
				}
			}
			return make([]float64, len(s.Simulated))
		}, nil
	}}
	o := few(600, families)
	o.learners = []Learner{spy}
	compared(t, o)
	for _, f := range families {
		if asked[f] < 4 {
			t.Errorf("%s: asked about %d samples", f, asked[f])
		}
	}
}
