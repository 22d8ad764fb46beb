package egielski14

import (
	"encoding/csv"
	"strings"
	"testing"
)

// TestSwappedColumns: where the head of a column of Table 3 is not what its values are, the
// reason of the row says so.
func TestSwappedColumns(t *testing.T) {
	lines, err := csv.NewReader(strings.NewReader(statements)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	heads := map[string]string{"minimum": "Minimum", "maximum": "Maximum", "average": "Mean"}
	swapped, checked := 0, 0
	for _, l := range lines {
		line, column, ok := strings.Cut(strings.TrimSuffix(l[1], " speedup"), ", ")
		if l[0] != "table3" || !ok || heads[column] == "" {
			continue
		}
		checked++
		where := numbers.All()["table 3 "+line+" "+column].Where
		printed := where[strings.LastIndex(where, " ")+1:]
		said := strings.Contains(l[5], "Table 3 prints it under "+printed)
		if said != (printed != heads[column]) {
			t.Errorf("%s: %s, but the reason is %q", l[1], where, l[5])
		}
		if said {
			swapped++
		}
	}
	if checked != 6 || swapped != 4 {
		t.Errorf("%d of %d columns are swapped", swapped, checked)
	}
}
