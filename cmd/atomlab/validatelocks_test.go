package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/locks"
)

// TestValidateLocks: the report is that of the package, as JSON and as tables.
func TestValidateLocks(t *testing.T) {
	want, err := locks.Locks()
	if err != nil {
		t.Fatal(err)
	}
	var doc locksDocument
	if err := json.Unmarshal([]byte(done(t, "validate", "locks", "--json")), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Subject != "locks" || len(doc.Rows) != len(want.Rows) || len(doc.Rows) == 0 ||
		len(doc.Checks) != len(want.Checks) || len(doc.Failed) != 0 || len(doc.Choices) != 4 {
		t.Errorf("%s: %d rows, %d checks, %d rules, failed %q", doc.Subject, len(doc.Rows),
			len(doc.Checks), len(doc.Choices), doc.Failed)
	}
	gaps := 0
	for _, c := range want.Checks {
		if c.Status == validate.KnownGap {
			gaps++
		}
	}
	text := done(t, "validate", "locks")
	for _, words := range [][]string{
		{want.Rows[0].Device, want.Rows[0].Implementation.String(),
			inPercent(want.Rows[0].ClosedForm.MedianPercent)},
		{want.Choices[1].Rule, decimals(want.Choices[1].GeometricMean, 3),
			decimals(want.Choices[1].Max, 2)},
		{fmt.Sprintf("%d checks, %d known gaps", len(want.Checks), gaps), "0 failed"},
	} {
		if !hasLine(text, words) {
			t.Errorf("no line with %q in\n%s", words, text)
		}
	}
}

// hasLine reports whether one line of a text holds all words.
func hasLine(text string, words []string) bool {
	for line := range strings.Lines(text) {
		held := 0
		for _, word := range words {
			if strings.Contains(line, word) {
				held++
			}
		}
		if held == len(words) {
			return true
		}
	}
	return false
}
