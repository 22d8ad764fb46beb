package scratchpad

import (
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/internal/golden"
)

// TestScratchpad recomputes the table from the committed recordings. With ATOMTUNE_FULL=1 it draws twenty times as
// many random patterns.
func TestScratchpad(t *testing.T) {
	random := 5_000
	if golden.Full() {
		random = 100_000
	}
	checks, err := Scratchpad(random, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		if failure := c.Failure(); failure != "" {
			t.Error(failure)
		}
		adds := strings.Contains(c.Item, "h200, u32_add,") || strings.Contains(c.Item, "h200, f32_add,")
		if adds && strings.HasSuffix(c.Item, "median error") && c.Value > 0.01 {
			t.Errorf("%s: %.4f %%, more than 0.01", c.Item, c.Value)
		}
	}
	if len(checks) < 50 {
		t.Errorf("only %d checks", len(checks))
	}
}

// TestJudgedHalf: recordings judge by the half that no constant was fitted to. The half that
// was fitted gives other figures.
func TestJudgedHalf(t *testing.T) {
	m, err := h200.Archive.Scratchpad()
	if err != nil {
		t.Fatal(err)
	}
	checks, err := recorded()
	if err != nil {
		t.Fatal(err)
	}
	figures := func(kept bool) (list []float64) {
		for _, target := range targets {
			own, err := target.judge(m.Half(kept))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range own {
				list = append(list, c.Value)
			}
		}
		return list
	}
	var got []float64
	for _, c := range checks {
		got = append(got, c.Value)
	}
	if want, fitted := figures(true), figures(false); !slices.Equal(got, want) ||
		slices.Equal(got, fitted) {
		t.Errorf("figures %v, of the half that is kept out %v, of the other %v", got, want, fitted)
	}
}
