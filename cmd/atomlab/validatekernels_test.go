package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/lab/validate/kernels"
)

// TestValidateKernels makes a small table, reports on it and draws it. The
// known gaps are those of the whole table, so that the report fails, and says
// with which figure.
func TestValidateKernels(t *testing.T) {
	if testing.Short() {
		t.Skip("simulations take minutes under the race detector")
	}
	t.Chdir(t.TempDir())
	var made simulatedDocument
	out := done(t, "validate", "kernels", "--simulate", "few.csv", "--streams", "1", "--every", "30",
		"--json")
	if err := json.Unmarshal([]byte(out), &made); err != nil || made.Calls != 2 ||
		made.Table != "few.csv" {
		t.Fatalf("%+v, %v", made, err)
	}
	if left, err := os.ReadDir("."); err != nil || strings.Contains(names(left), "journal") {
		t.Errorf("%s, %v", names(left), err)
	}
	got := atomlab("validate", "kernels", "--table", "few.csv", "--figure", "calls", "--json")
	var doc kernelDocument
	if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil {
		t.Fatalf("%v\n%s", err, got.stdout)
	}
	if got.code != exitFailed || !strings.Contains(got.stderr, errNotValid.Error()) ||
		!strings.Contains(got.stderr, doc.Failed[0]) {
		t.Errorf("exit code %d, %s", got.code, got.stderr)
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
	for _, word := range []string{"2 of " + report.Count(uint64(doc.Available)) + " recorded calls",
		"Kendall's tau", "conservation", "no losses of choices", "failed: "} {
		if got.code != exitFailed || !strings.Contains(got.stdout, word) {
			t.Errorf("exit code %d, no %q in\n%s", got.code, word, got.stdout)
		}
	}
}

func names(list []os.DirEntry) string {
	var all []string
	for _, f := range list {
		all = append(all, f.Name())
	}
	return strings.Join(all, " ")
}

// TestValidateKernelsFaults: tables that cannot be read or written are named.
func TestValidateKernelsFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("broken.csv", []byte("# device: h200\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, word string }{
		{"validate kernels --table missing.csv", "missing.csv"},
		{"validate kernels --table broken.csv", "broken.csv:2"},
		{"validate kernels --simulate missing/few.csv", "missing"},
	} {
		failed(t, exitFailed, c.line, c.word)
	}
	if _, err := kernels.RecordedKernels(); err != nil {
		t.Errorf("the table in the program: %v", err)
	}
}
