package scratchpad

import (
	"testing"

	"github.com/atomtune/atomtune/lab/papers"
)

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
