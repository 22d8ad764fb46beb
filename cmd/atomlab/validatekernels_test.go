package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/golden"
)

// TestValidateKernels makes a small table, reports on it and draws it. The
// known gaps are those of the whole table, so that the report fails, and says
// with which figure.
func TestValidateKernels(t *testing.T) {
	golden.OnlyFull(t)
	t.Chdir(t.TempDir())
	var made simulatedDocument
	decode(t, done(t, strings.Fields("validate kernels --simulate few.csv --streams 1 --every 30 --json")...), &made)
	if made.Calls != 2 || made.Table != "few.csv" {
		t.Fatalf("%+v", made)
	}
	if left, err := filepath.Glob("*journal*"); err != nil || len(left) > 0 {
		t.Errorf("%s, %v", left, err)
	}
	got := atomlab("validate", "kernels", "--table", "few.csv", "--figure", "calls", "--json")
	var doc kernelDocument
	decode(t, got.Stdout, &doc)
	if got.Code != exitFailed || !strings.Contains(got.Stderr, errNotValid.Error()) ||
		!strings.Contains(got.Stderr, doc.Failed[0]) {
		t.Errorf("exit code %d, %s", got.Code, got.Stderr)
	}
	if doc.Calls != 2 || doc.Streams != 1 || len(doc.Rows) != 2 || len(doc.Rivals) != 0 ||
		len(doc.Checks) != 14 {
		t.Errorf("%+v", doc)
	}
	for _, path := range append(doc.Written, "calls.svg") {
		if info, err := os.Stat(path); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	got = atomlab("validate", "kernels", "--table", "few.csv")
	for _, word := range []string{"2 of " + report.Count(uint64(doc.Available)), doc.Failed[0]} {
		if got.Code != exitFailed || !strings.Contains(got.Stdout, word) {
			t.Errorf("exit code %d, no %q in\n%s", got.Code, word, got.Stdout)
		}
	}
}
