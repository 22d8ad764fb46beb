package papers

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
)

// statements are those of one experiment by their items: rows without what is found.
type statements map[string]Row

// tableOf reads a table of statements by experiment. Its columns are experiment, item, what the
// paper states in words, unit, status and reason. It panics where the table is wrong: it is
// part of the program.
func tableOf(paper, text string) map[string]statements {
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("statements of %s: %v", paper, err))
	}
	all := map[string]statements{}
	for _, l := range lines[1:] {
		r := Row{Paper: paper, Item: l[0] + ": " + l[1], Unit: l[3], Status: l[4], Reason: l[5]}
		switch {
		case strings.ContainsAny(l[2][:min(1, len(l[2]))], "+-.0123456789"):
			panic(fmt.Sprintf("%s: %q belongs to the published numbers", r.Item, l[2]))
		case !slices.Contains([]string{Enforced, KnownGap, Reading}, r.Status):
			panic(fmt.Sprintf("%s: no status %q", r.Item, r.Status))
		case l[2] != "":
			r.PaperValue = Text(l[2])
		}
		if all[l[0]] == nil {
			all[l[0]] = statements{}
		}
		all[l[0]][l[1]] = r
	}
	return all
}

// complete adds what the paper states to the rows of its experiment, one of each statement.
func (s statements) complete(rows []Row) error {
	if len(rows) != len(s) {
		return fmt.Errorf("%d rows of %d statements", len(rows), len(s))
	}
	for i, r := range rows {
		full, ok := s[r.Item]
		if !ok {
			return fmt.Errorf("the table of statements has no %q", r.Item)
		}
		full.Ours, full.Holds, full.limit = r.Ours, r.Holds, r.limit
		if (r.PaperValue == Value{}) == (full.PaperValue == Value{}) {
			return fmt.Errorf("%q is stated in words or as a number: %q and %q", r.Item,
				full.PaperValue.text, r.PaperValue)
		}
		if r.PaperValue != (Value{}) {
			full.PaperValue = r.PaperValue
		}
		if len(r.args) > 0 {
			full.Reason = fmt.Sprintf(full.Reason, r.args...)
		}
		rows[i] = full
	}
	return nil
}
