package all

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/lab/papers"
)

// counts are how many experiments, rows and known gaps a paper has.
type counts struct{ experiments, rows, gaps int }

// wantCounts are those of the papers whose statuses are checked here.
func wantCounts() map[string]counts {
	if testing.Short() {
		return map[string]counts{"gomezluna13": {9, 48, 2}, "elteir11": {11, 46, 9},
			"streamhpc": {3, 15, 1}, "westphal15": {2, 17, 0}}
	}
	return map[string]counts{"gomezluna13": {12, 101, 5}, "elteir11": {12, 49, 9},
		"streamhpc": {3, 15, 1}, "westphal15": {6, 57, 4}}
}

// checkStatuses: what is enforced holds, what is a known gap does not, and there are tables and a
// figure that can be drawn.
func checkStatuses(t *testing.T, results []Result) {
	want := wantCounts()
	checked := 0
	for _, r := range results {
		if r.Paper.Key == "egielski14" {
			continue // it has a test of its own
		}
		checked++
		items := map[string]bool{}
		got := counts{}
		undrawnHere := 0
		for i, x := range r.Paper.Experiments {
			if leftOut(r.Paper.Key, x.Name) {
				continue
			}
			out := r.Outcomes[i]
			got.experiments++
			if len(out.Rows) < 2 && r.Paper.Key == "gomezluna13" {
				t.Errorf("%s has %d rows", x.Name, len(out.Rows))
			}
			for _, row := range out.Rows {
				checkRow(t, r.Paper.Key, x.Name, row)
				if items[row.Item] {
					t.Errorf("two rows are called %q", row.Item)
				}
				items[row.Item] = true
				if row.Status == papers.KnownGap {
					got.gaps++
				}
			}
			checkTables(t, x.Name, out)
			if len(out.Page.Panels) == 0 {
				undrawnHere++
			}
		}
		if got.rows = len(items); got != want[r.Paper.Key] {
			t.Errorf("%s: %+v, want %+v", r.Paper.Key, got, want[r.Paper.Key])
		}
		if undrawnHere > 2 {
			t.Errorf("%s: %d experiments without a figure", r.Paper.Key, undrawnHere)
		}
	}
	if checked != len(want) {
		t.Errorf("%d papers", checked)
	}
}

// checkOtherSeed: of the papers that draw little at random and whose runs are not stored, the
// experiments that draw have the same statuses with another seed than the default one.
func checkOtherSeed(t *testing.T, results []Result) {
	checked := 0
	for _, r := range results {
		for i, x := range r.Paper.Experiments {
			drawing := r.Paper.Key == "streamhpc" || r.Paper.Key == "elteir11" && x.Name == "figure13"
			if !drawing || leftOut(r.Paper.Key, x.Name) {
				continue
			}
			checked++
			out, err := x.Run(t.Context(), papers.Options{Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range out.Rows {
				checkRow(t, r.Paper.Key, x.Name, row)
			}
			checkTables(t, x.Name, out)
			if got, want := statusesOf(out), statusesOf(r.Outcomes[i]); !slices.Equal(got, want) {
				t.Errorf("%s %s: %q, with the default seed %q", r.Paper.Key, x.Name, got, want)
			}
		}
	}
	const want = 1 + 3
	if checked != want && !testing.Short() {
		t.Errorf("%d experiments, want %d", checked, want)
	}
}

func statusesOf(out papers.Outcome) []string {
	return papers.List(len(out.Rows), func(i int) string {
		return out.Rows[i].Item + ": " + out.Rows[i].Status
	})
}

func checkRow(t *testing.T, paper, experiment string, r papers.Row) {
	t.Helper()
	if failure := r.Failure(); failure != "" {
		t.Error(failure)
	}
	if r.Paper != paper || !strings.HasPrefix(r.Item, experiment+": ") || r.Reason == "" {
		t.Errorf("incomplete row: %+v", r)
	}
	if value, ok := r.PaperValue.Float(); ok && !stated(paper, value) {
		t.Errorf("%s: the paper gives no %v", r.Item, value)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Errorf("%s: %v", r.Item, err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"paper", "item", "paper_value", "ours", "unit", "status", "reason"} {
		if _, ok := fields[key]; !ok {
			t.Errorf("%s has no %q", text, key)
		}
	}
}

// undrawn are the experiments without a figure.
var undrawn = []string{"section2.1.2", "section2.1.3", "section4", "accesses", "operations"}

// checkTables looks at tables and figure; section2.1.3 has no table.
func checkTables(t *testing.T, name string, out papers.Outcome) {
	t.Helper()
	if len(out.Tables) == 0 && name != "section2.1.3" {
		t.Errorf("%s has no table", name)
	}
	for _, table := range out.Tables {
		if len(table.Cells) == 0 || !strings.HasPrefix(table.Name, name) || table.Title == "" {
			t.Errorf("%s: empty table %q", name, table.Name)
		}
		for _, row := range table.Cells {
			if len(row) != len(table.Columns) || slices.Contains(row, "NaN") || slices.Contains(row, "") {
				t.Errorf("%s: a row of %d columns: %q", table.Name, len(table.Columns), row)
			}
		}
	}
	if slices.Contains(undrawn, name) {
		return
	}
	if svg, err := out.Page.SVG(); err != nil || len(svg) < 1000 {
		t.Errorf("%s: a figure of %d bytes, %v", name, len(svg), err)
	}
}
