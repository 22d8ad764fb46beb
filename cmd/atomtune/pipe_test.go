package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
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

// full is a standard output that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestOutputThatFails(t *testing.T) {
	inputs(t)
	for _, args := range [][]string{{"analyze", "indices.npy"}, {"choose", "--json"}, {"devices"},
		{"version"}} {
		var stderr bytes.Buffer
		e := newEnv(strings.NewReader(""), full{}, &stderr)
		if code := e.Run(newRoot(e), args); code != exitFailed {
			t.Errorf("%s: exit code %d, want %d", args[0], code, exitFailed)
		}
		if want := "atomtune: standard output: no space left on device\n"; stderr.String() != want {
			t.Errorf("%s: standard error %q, want %q", args[0], stderr.String(), want)
		}
	}
}

// TestClosedPipe: a reader that goes away ends the command without a panic.
func TestClosedPipe(t *testing.T) {
	for _, args := range [][]string{{"devices", "h200"}, {"choose"}, {"patterns"},
		{"completion", "bash"}, {"choose", "--help"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		cmd := process(t, args...)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = w, &stderr
		if err := cmd.Run(); err == nil {
			t.Errorf("%s: succeeded on a closed pipe", args[0])
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(stderr.String(), "panic") || strings.Contains(stderr.String(), "goroutine") {
			t.Errorf("%s: standard error %q", args[0], stderr.String())
		}
	}
}

// TestProcess: the process gives the exit codes and reads standard input.
func TestProcess(t *testing.T) {
	cmd := process(t, "analyze", "--json", "-")
	cmd.Stdin = strings.NewReader("3\n3\n7\n")
	out, err := cmd.Output()
	if err != nil || !bytes.Contains(out, []byte(`"updates": 3,`)) {
		t.Errorf("analyze -: %v, %s", err, out)
	}
	for code, args := range map[int][]string{exitFailed: {"analyze", "missing.npy"},
		exitUsage: {"analyze"}} {
		cmd := process(t, args...)
		cmd.Stderr = io.Discard
		var exit *exec.ExitError
		if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != code {
			t.Errorf("%v: %v, want exit code %d", args, err, code)
		}
	}
}
