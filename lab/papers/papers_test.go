package papers_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/all"
	"github.com/atomtune/atomtune/lab/papers/streamhpc"
)

// TestOtherStatuses is TestStatuses for the papers that draw little at random,
// with another seed than the default one.
func TestOtherStatuses(t *testing.T) {
	want := map[string][3]int{ // experiments, rows, known gaps
		"elteir11":   {12, 49, 9},
		"streamhpc":  {3, 15, 1},
		"westphal15": {6, 57, 4},
	}
	if testing.Short() {
		want["elteir11"] = [3]int{11, 46, 9}
		want["westphal15"] = [3]int{2, 17, 0}
	}
	o, compare := withTimes(t, "testdata/others.csv", papers.Options{Seed: 3})
	checked := 0
	for _, p := range all.Papers() {
		if p.Inputs || p.Key == "egielski14" {
			continue // they have tests of their own
		}
		checked++
		items := map[string]bool{}
		experiments, gaps, undrawnHere := 0, 0, 0
		for _, e := range p.Experiments {
			if testing.Short() && (e.Name == "figure13" || p.Key == "westphal15" && e.Name != "steps" &&
				e.Name != "divergence") {
				continue // long under the race detector
			}
			experiments++
			out, err := e.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range out.Rows {
				checkRow(t, p.Key, e.Name, r)
				if items[r.Item] {
					t.Errorf("two rows are called %q", r.Item)
				}
				items[r.Item] = true
				if r.Status == papers.KnownGap {
					gaps++
				}
			}
			checkTables(t, e.Name, out)
			if len(out.Page.Panels) == 0 {
				undrawnHere++
			}
		}
		if got := [3]int{experiments, len(items), gaps}; got != want[p.Key] {
			t.Errorf("%s: %v experiments, rows and known gaps, want %v", p.Key, got, want[p.Key])
		}
		if undrawnHere > 2 {
			t.Errorf("%s: %d experiments without a figure", p.Key, undrawnHere)
		}
	}
	compare()
	if checked != len(want) {
		t.Errorf("%d papers", checked)
	}
}

// TestOtherOutcomes: a cancelled experiment does not begin, the same options give
// the same outcome, and the seed decides orders.
func TestOtherOutcomes(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	refused := 0
	for _, p := range all.Papers() {
		for _, e := range p.Experiments {
			if _, err := e.Run(ctx, papers.Options{}); err == nil {
				t.Errorf("%s %s runs though cancelled", p.Key, e.Name)
			}
			refused++
		}
	}
	if refused != 41 {
		t.Errorf("%d experiments", refused)
	}
	rows := func(seed uint64) string {
		out, err := streamhpc.Paper().Experiments[2].Run(context.Background(), papers.Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(out.Tables)
	}
	first, again, other := rows(4), rows(4), rows(5)
	if first != again || first == other {
		t.Errorf("%s, again %s, another seed %s", first, again, other)
	}
}
