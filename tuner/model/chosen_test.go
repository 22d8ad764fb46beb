package model_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/atomtune/atomtune/tuner/model"
)

// TestChosen: the choice is the first of all in the order of simplicity, then of closed forms, then of the list, of
// those at most a tie over the least corrected time.
func TestChosen(t *testing.T) {
	type of struct {
		US, Priced float64
		Simplicity int
	}
	rapid.Check(t, func(r *rapid.T) {
		us := rapid.OneOf(rapid.SampledFrom([]float64{1, 1.03, 1.0301, math.Inf(1)}), rapid.Float64Range(0.9, 1.1))
		list := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) of {
			return of{us.Draw(r, "us"), us.Draw(r, "priced"), rapid.IntRange(0, 4).Draw(r, "simplicity")}
		}), 0, 8).Draw(r, "list")
		want := -1
		for i, a := range list {
			tied := !math.IsInf(a.US, 1)
			for _, b := range list {
				tied = tied && a.US <= b.US*(1+model.TieBand)
			}
			if tied && (want < 0 || a.Simplicity < list[want].Simplicity ||
				a.Simplicity == list[want].Simplicity && a.Priced < list[want].Priced) {
				want = i
			}
		}
		before := slices.Clone(list)
		got := model.Chosen(len(list), func(i int) (float64, float64, int) {
			return list[i].US, list[i].Priced, list[i].Simplicity
		})
		if got != want || !slices.Equal(list, before) {
			r.Fatalf("%d is chosen, want %d", got, want)
		}
	})
}
