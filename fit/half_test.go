package fit

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/datasets/patterns"
)

// TestHalfIsKeptOut: what is fitted does not change with the rows that are kept out, by which
// alone it is judged.
func TestHalfIsKeptOut(t *testing.T) {
	fitted := func(judging bool, factor float64) Result {
		m := measured(t, native, 0.01, 0, 1)
		some := &patterns.Measurements{Lanes: m.Lanes, Columns: []patterns.Column{{Name: "cycles"}}}
		for i := 0; i < len(m.Patterns); i += 6 {
			some.Patterns, some.Lines = append(some.Patterns, m.Patterns[i]), append(some.Lines, m.Lines[i])
			some.Columns[0].Cycles = append(some.Columns[0].Cycles, m.Columns[0].Cycles[i])
		}
		kept, slowed := some.Half(true), some.Half(judging)
		for i, line := range some.Lines {
			if slices.Contains(slowed.Lines, line) {
				some.Columns[0].Cycles[i] *= factor
			}
		}
		r, err := Scratchpad(some, "cycles", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.HeldOut.Rows != len(kept.Lines) || r.Fitted.Rows != len(some.Lines)-len(kept.Lines) {
			t.Errorf("%d and %d rows of %d, %d kept out", r.Fitted.Rows, r.HeldOut.Rows, len(some.Lines),
				len(kept.Lines))
		}
		return r
	}
	want, got := fitted(true, 1), fitted(true, 2)
	if other := fitted(false, 2); cmp.Equal(want.Params, other.Params) {
		t.Error("the fitted rows change nothing: this test cannot fail")
	}
	if want.HeldOut.Median > 0.02 || got.HeldOut.Median < 0.4 {
		t.Errorf("median error of the kept rows %v, and %v where they took twice as long",
			want.HeldOut.Median, got.HeldOut.Median)
	}
	want.HeldOut, got.HeldOut = Residuals{}, Residuals{}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the rows that are kept out change the fit:\n%s", diff)
	}
}
