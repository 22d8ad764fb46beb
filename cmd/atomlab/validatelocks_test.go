package main

import (
	"strings"
	"testing"

	"github.com/atomtune/atomtune/lab/validate/locks"
)

// TestValidateLocks: the report is that of the package, as JSON and as tables.
func TestValidateLocks(t *testing.T) {
	want, err := locks.Locks()
	if err != nil {
		t.Fatal(err)
	}
	var doc locksDocument
	decode(t, done(t, "validate", "locks", "--json"), &doc)
	if doc.Subject != "locks" || len(doc.Rows) != len(want.Rows) || len(doc.Rows) == 0 ||
		len(doc.Checks) != len(want.Checks) || len(doc.Failed) != 0 || len(doc.Choices) != 4 {
		t.Errorf("%s: %d rows, %d checks, %d rules, failed %q", doc.Subject, len(doc.Rows),
			len(doc.Checks), len(doc.Choices), doc.Failed)
	}
	text := done(t, "validate", "locks")
	for _, word := range []string{inPercent(want.Rows[0].ClosedForm.MedianPercent),
		decimals(want.Choices[1].GeometricMean, 3), decimals(want.Choices[1].Max, 2)} {
		if !strings.Contains(text, word) {
			t.Errorf("no %q in\n%s", word, text)
		}
	}
}
