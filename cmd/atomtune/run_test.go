package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/golden"
)

// The exit codes.
const (
	exitDone   = command.ExitDone
	exitFailed = command.ExitFailed
	exitUsage  = command.ExitUsage
)

// outcome is what one command line gave.
type outcome struct {
	code           int
	stdout, stderr string
}

// fixedClock returns a clock that goes on by a quarter of a second whenever it
// is read.
func fixedClock() func() time.Time {
	clock := time.Unix(0, 0)
	return func() time.Time {
		clock = clock.Add(time.Second / 4)
		return clock
	}
}

// atomtune runs one command line in this process, with a fixed clock.
func atomtune(stdin string, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	e := newEnv(strings.NewReader(stdin), &stdout, &stderr)
	e.Now = fixedClock()
	code := e.Run(newRoot(e), args)
	return outcome{code, stdout.String(), stderr.String()}
}

// done runs a command line that must succeed, and returns its output.
func done(t *testing.T, args ...string) string {
	t.Helper()
	got := atomtune("", args...)
	if got.code != exitDone {
		t.Fatalf("atomtune %s: exit code %d, %s", strings.Join(args, " "), got.code, got.stderr)
	}
	if got.stdout == "" {
		t.Fatalf("atomtune %s: no output", strings.Join(args, " "))
	}
	return got.stdout
}

// document runs a command line with --json and decodes its one document.
func document(t *testing.T, args ...string) map[string]any {
	t.Helper()
	out := done(t, append(args, "--json")...)
	dec := json.NewDecoder(strings.NewReader(out))
	var doc map[string]any
	if err := dec.Decode(&doc); err != nil {
		t.Fatalf("atomtune %s --json: %v in %q", strings.Join(args, " "), err, out)
	}
	if rest := strings.TrimSpace(out[dec.InputOffset():]); rest != "" {
		t.Fatalf("atomtune %s --json: %q follows the document", strings.Join(args, " "), rest)
	}
	return doc
}

// printed compares output with testdata/NAME.golden.
func printed(t *testing.T, name, got string) {
	t.Helper()
	golden.Text(t, filepath.Join(testdata, name+".golden"), got)
}

// testdata is absolute, since tests change the working directory.
var testdata = func() string {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		panic(err)
	}
	return dir
}()

// failed runs a command line that must fail with the code, one line on
// standard error that holds all the words, and nothing on standard output. It returns the line.
func failed(t *testing.T, code int, stdin string, args []string, words ...string) (stderr string) {
	t.Helper()
	got := atomtune(stdin, args...)
	if got.code != code {
		t.Errorf("atomtune %s: exit code %d, want %d", strings.Join(args, " "), got.code, code)
	}
	if got.stdout != "" {
		t.Errorf("atomtune %s: standard output %q, want nothing", strings.Join(args, " "), got.stdout)
	}
	if !strings.HasPrefix(got.stderr, "atomtune: ") || strings.Count(got.stderr, "\n") != 1 ||
		!strings.HasSuffix(got.stderr, "\n") {
		t.Errorf("atomtune %s: standard error %q, want one line", strings.Join(args, " "), got.stderr)
	}
	if strings.Contains(got.stderr, "%!") {
		t.Errorf("atomtune %s: %q is badly formatted", strings.Join(args, " "), got.stderr)
	}
	for _, w := range words {
		if !strings.Contains(got.stderr, w) {
			t.Errorf("atomtune %s: %q does not name %q", strings.Join(args, " "), got.stderr, w)
		}
	}
	return got.stderr
}
