package paperstest

import (
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/lab/papers"
)

// Discriminates checks that each row holds in one of the cases and does not in another,
// but for rows whose item contains one of the texts: they do not depend on what
// is distorted.
func Discriminates(t *testing.T, cases [][]papers.Row, apart ...string) {
	t.Helper()
	checked := 0
	for i, r := range cases[0] {
		if slices.ContainsFunc(apart, func(text string) bool { return strings.Contains(r.Item, text) }) {
			continue
		}
		checked++
		for _, wanted := range []bool{true, false} {
			if !slices.ContainsFunc(cases, func(rows []papers.Row) bool {
				return rows[i].Item == r.Item &&
					rows[i].Holds == wanted
			}) {
				t.Errorf("no case makes it %v: %q", wanted, r.Item)
			}
		}
	}
	if checked < 3 {
		t.Errorf("%d rows were checked", checked)
	}
}
