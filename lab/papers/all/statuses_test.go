package all

import (
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/papers"
)

// checkStatuses: what is enforced holds, what is a known gap does not, and there are tables without
// empty cells and a figure that can be drawn.
func checkStatuses(t *testing.T, results []Result) {
	rows := 0
	for _, r := range results {
		items := map[string]bool{}
		for i, x := range r.Paper.Experiments {
			if leftOut(r.Paper.Key, x.Name) {
				continue
			}
			rows += len(r.Outcomes[i].Rows)
			for _, row := range r.Outcomes[i].Rows {
				if items[row.Item] {
					t.Errorf("two rows are called %q", row.Item)
				}
				items[row.Item] = true
			}
			checkOutcome(t, r.Paper.Key, x.Name, r.Outcomes[i])
		}
	}
	if rows < 100 {
		t.Errorf("only %d rows", rows)
	}
}

// checkOtherSeed: of the papers that draw little at random and whose runs are not stored, the
// experiments that draw have the same statuses with another seed than the default one.
func checkOtherSeed(t *testing.T, results []Result) {
	golden.OnlyFull(t)
	for _, r := range results {
		for i, x := range r.Paper.Experiments {
			drawing := r.Paper.Key == "streamhpc" || r.Paper.Key == "elteir11" && x.Name == "figure13"
			if !drawing || leftOut(r.Paper.Key, x.Name) {
				continue
			}
			out, err := x.Run(t.Context(), papers.Options{Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			checkOutcome(t, r.Paper.Key, x.Name, out)
			if got, want := statusesOf(out), statusesOf(r.Outcomes[i]); !slices.Equal(got, want) {
				t.Errorf("%s %s: %q, with the default seed %q", r.Paper.Key, x.Name, got, want)
			}
		}
	}
}

func statusesOf(out papers.Outcome) []string {
	return papers.List(len(out.Rows), func(i int) string {
		return out.Rows[i].Item + ": " + out.Rows[i].Status
	})
}

func checkOutcome(t *testing.T, paper, experiment string, out papers.Outcome) {
	t.Helper()
	for _, r := range out.Rows {
		if failure := r.Failure(); failure != "" {
			t.Error(failure)
		}
		if r.Paper != paper || !strings.HasPrefix(r.Item, experiment+": ") || r.Reason == "" {
			t.Errorf("incomplete row: %+v", r)
		}
		if value, ok := r.PaperValue.Float(); ok && !stated(paper, value) {
			t.Errorf("%s: the paper gives no %v", r.Item, value)
		}
	}
	for _, table := range out.Tables {
		for _, row := range table.Cells {
			if len(row) != len(table.Columns) || slices.Contains(row, "NaN") || slices.Contains(row, "") {
				t.Errorf("%s: a row of %d columns: %q", table.Name, len(table.Columns), row)
			}
		}
	}
	if len(out.Page.Panels) == 0 {
		return // this one draws nothing
	}
	if _, err := out.Page.SVG(); err != nil {
		t.Errorf("%s: %v", experiment, err)
	}
}
