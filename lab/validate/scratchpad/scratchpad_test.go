package scratchpad

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/papers"
)

func quiet(float64) {}

// TestScratchpad recomputes the table from the committed recordings, with one fit of known
// parameters and one of the H200's. With ATOMTUNE_FULL=1 it makes all fits and draws twenty times
// as many random patterns.
func TestScratchpad(t *testing.T) {
	o := Options{Random: 5_000, Seed: 1, Progress: quiet, fits: 1}
	if golden.Full() {
		o.Random, o.fits = 100_000, 0
	}
	checks, err := Scratchpad(o)
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
	if len(checks) < 70 {
		t.Errorf("only %d checks", len(checks))
	}
}

// TestRepeatable demands the same figures from the same seed, whatever the
// number of cores.
func TestRepeatable(t *testing.T) {
	first, err := randomDeviations(Options{Random: 5_000, Seed: 3, Progress: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	again, err := randomDeviations(Options{Random: 5_000, Seed: 3, Progress: quiet})
	if err != nil || len(first) != len(again) {
		t.Fatal(err)
	}
	for i := range first {
		if first[i] != again[i] {
			t.Fatalf("pattern %d: %v and %v", i, first[i], again[i])
		}
	}
}

// TestJudgedHalf: recordings judge by the half that no constant was fitted to. The half that
// was fitted gives other figures.
func TestJudgedHalf(t *testing.T) {
	m, err := h200.Archive.Scratchpad()
	if err != nil {
		t.Fatal(err)
	}
	checks, err := recorded(Options{})
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

// TestRecordedHalves: the halves are those of all recordings, whose values are counted here by
// sorting.
func TestRecordedHalves(t *testing.T) {
	m, err := h200.Archive.Scratchpad()
	if err != nil {
		t.Fatal(err)
	}
	all, err := RecordedHalves(h200.Archive)
	if err != nil || len(all) != len(targets) {
		t.Fatalf("%d operations, %v", len(all), err)
	}
	for _, h := range all {
		column, err := m.Column(h.Operation)
		if err != nil {
			t.Fatal(err)
		}
		values := slices.Compact(slices.Sorted(slices.Values(column.Cycles)))
		if h.Fitted.Recordings+h.Judging.Recordings != len(column.Cycles) ||
			h.Fitted.Distinct+h.Unseen != len(values) || h.Judging.Distinct < h.Unseen ||
			h.Judging.Distinct > len(values) {
			t.Errorf("%+v, but %d values in all", h, len(values))
		}
	}
}

// TestChecksOfRows: a check fails where its row does, and a reading of ours makes none.
func TestChecksOfRows(t *testing.T) {
	for _, status := range []string{papers.Enforced, papers.KnownGap, papers.Reading} {
		for _, holds := range []bool{false, true} {
			r := papers.Row{Paper: "p", Item: "i", Status: status, Reason: "why", Holds: holds}
			checks := checksOf([]papers.Row{r})
			if status == papers.Reading {
				if len(checks) != 0 {
					t.Errorf("a reading of ours makes %+v", checks)
				}
				continue
			}
			if len(checks) != 1 || (checks[0].Failure() != "") != (r.Failure() != "") {
				t.Errorf("%+v of a row whose failure is %q", checks, r.Failure())
			}
		}
	}
}
