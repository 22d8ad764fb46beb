package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/commandtest"
)

// The exit codes.
const (
	exitDone   = command.ExitDone
	exitFailed = command.ExitFailed
	exitUsage  = command.ExitUsage
)

// asCommand makes this test binary behave as the command.
const asCommand = "ATOMTUNE_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// process returns the command as a process of its own.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// fixedClock returns a clock that goes on by a quarter of a second whenever it is read.
func fixedClock() func() time.Time {
	clock := time.Unix(0, 0)
	return func() time.Time {
		clock = clock.Add(time.Second / 4)
		return clock
	}
}

// atomtune runs one command line in this process, with a fixed clock.
func atomtune(stdin string, args ...string) commandtest.Outcome {
	var stdout, stderr bytes.Buffer
	e := newEnv(strings.NewReader(stdin), &stdout, &stderr)
	e.Now = fixedClock()
	code := e.RunContext(context.Background(), newRoot(e), args)
	return commandtest.Outcome{Line: append([]string{"atomtune"}, args...), Code: code, Stdout: stdout.String(),
		Stderr: stderr.String()}
}

func line(parts ...string) []string { return strings.Fields(strings.Join(parts, " ")) }

// done runs a command line that must succeed, and returns its output.
func done(t *testing.T, args ...string) string {
	t.Helper()
	return atomtune("", args...).Done(t)
}

// document runs a command line with --json and decodes its one document.
func document(t *testing.T, args ...string) (doc map[string]any) {
	t.Helper()
	decode(t, done(t, append(args, "--json")...), &doc)
	return doc
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// need fails unless the object has all the fields, none of them null.
func need(t *testing.T, what string, object any, fields string) map[string]any {
	t.Helper()
	m, ok := object.(map[string]any)
	if !ok {
		t.Fatalf("%s is %T, want an object", what, object)
	}
	for _, f := range strings.Fields(fields) {
		if m[f] == nil {
			t.Errorf("%s lacks %s; it has %v", what, f, slices.Sorted(maps.Keys(m)))
		}
	}
	return m
}

// failed runs a command line that must fail with the code, and names all words.
func failed(t *testing.T, code int, stdin string, args []string, words ...string) {
	t.Helper()
	atomtune(stdin, args...).Failed(t, code, words...)
}

// testdata is absolute, since tests change the working directory.
var testdata = func() string {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		panic(err)
	}
	return dir
}()

// unfilled is a text without its line breaks, which differ with the width.
func unfilled(text string) string { return strings.Join(strings.Fields(text), " ") }

// TestProcess: the process reads standard input, gives the exit codes, and ends without a panic where nobody
// reads what it prints.
func TestProcess(t *testing.T) {
	cmd := process(t, "analyze", "--json", "-")
	cmd.Stdin = strings.NewReader("3\n3\n7\n")
	out, err := cmd.Output()
	if err != nil || !bytes.Contains(out, []byte(`"updates": 3,`)) {
		t.Errorf("analyze -: %v, %s", err, out)
	}
	for _, c := range []struct {
		line   string
		code   int
		closed bool
	}{
		{"analyze missing.npy", exitFailed, false}, {"analyze", exitUsage, false}, {"devices h200", -1, true},
		{"patterns", -1, true}, {"completion bash", -1, true}, {"choose --help", -1, true},
	} {
		cmd := process(t, line(c.line)...)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = io.Discard, &stderr
		if c.closed {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if cmd.Stdout = w; r.Close() != nil {
				t.Fatal("the pipe stays open")
			}
		}
		err := cmd.Run()
		var exit *exec.ExitError
		if err == nil || errors.As(err, &exit) && !c.closed && exit.ExitCode() != c.code ||
			strings.Contains(stderr.String(), "panic") || strings.Contains(stderr.String(), "goroutine") {
			t.Errorf("%s: %v, %s", c.line, err, stderr.String())
		}
	}
}

// TestLinked: what the laboratory needs is linked by the programs of users nowhere.
func TestLinked(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".", "../atomprobe").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, not := range []string{"github.com/sarchlab/akita", "github.com/sjwhitworth/golearn", "gonum.org/v1/plot",
		"atomtune/atomtune/lab", "atomtune/datasets/h100", "atomtune/datasets/h200", "datasets/recordings/archive"} {
		if strings.Contains(string(out), not) {
			t.Errorf("a program of users links %s", not)
		}
	}
}
