package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/gpu/libcuda"
	"github.com/atomtune/atomtune/gpu/libcuda/standin"
	"github.com/atomtune/atomtune/internal/command"
)

// The exit codes.
const (
	exitDone        = command.ExitDone
	exitFailed      = command.ExitFailed
	exitUsage       = command.ExitUsage
	exitInterrupted = command.ExitInterrupted
)

// What TestMain builds.
var (
	binary   string // atomprobe, without cgo
	library  string // the stand-in for the driver
	oldest   string // one that lacks a function
	nameless string // one that gives no UUID
)

func TestMain(m *testing.M) {
	os.Exit(withPrograms(m))
}

func withPrograms(m *testing.M) int {
	folder, err := os.MkdirTemp("", "atomprobe")
	if err == nil {
		defer os.RemoveAll(folder)
		err = build(folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		if standin.Skip(err) {
			fmt.Fprintln(os.Stderr, "the tests of this package are left out")
			return 0
		}
		return 1
	}
	return m.Run()
}

func build(folder string) (err error) {
	binary = filepath.Join(folder, "atomprobe")
	command := exec.Command("go", "build", "-o", binary, ".")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %s", err, out)
	}
	if library, err = standin.Build(folder); err != nil {
		return err
	}
	for _, name := range []string{libcuda.LibraryVariable, libcuda.ManagementVariable} {
		if err := os.Setenv(name, library); err != nil {
			return err
		}
	}
	old := filepath.Join(folder, "old")
	if err := os.Mkdir(old, 0o755); err != nil {
		return err
	}
	if oldest, err = standin.Build(old, "WITHOUT_OCCUPANCY"); err != nil {
		return err
	}
	anonymous := filepath.Join(folder, "nameless")
	if err := os.Mkdir(anonymous, 0o755); err != nil {
		return err
	}
	nameless, err = standin.Build(anonymous, "WITHOUT_UUID")
	return err
}

// call is one run of the program.
type call struct {
	folder  string // where it runs; empty for that of the tests
	library string // empty for the stand-in
	env     []string
	args    []string
}

// onStandin is the program on the stand-in.
func onStandin(args ...string) call { return call{args: args} }

// with adds environment variables.
func (c call) with(env ...string) call {
	c.env = append(c.env, env...)
	return c
}

func (c call) command() *exec.Cmd {
	path := c.library
	if path == "" {
		path = library
	}
	command := exec.Command(binary, c.args...)
	command.Dir = c.folder
	command.Env = append(os.Environ(), libcuda.LibraryVariable+"="+path,
		libcuda.ManagementVariable+"="+path)
	command.Env = append(command.Env, c.env...)
	return command
}

// run returns what the program wrote, and its exit code.
func (c call) run(t *testing.T) (stdout, stderr string, code int) {
	t.Helper()
	command := c.command()
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	err := command.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), command.ProcessState.ExitCode()
}

// done demands that the program succeeds and says nothing on standard error.
func (c call) done(t *testing.T) (stdout string) {
	t.Helper()
	stdout, stderr, code := c.run(t)
	if code != exitDone || stderr != "" {
		t.Fatalf("atomprobe %s: exit code %d, %s", strings.Join(c.args, " "), code, stderr)
	}
	return stdout
}

// fails demands an exit code, nothing on standard output and one line of error
// that holds the words.
func (c call) fails(t *testing.T, code int, words ...string) (stderr string) {
	t.Helper()
	stdout, stderr, got := c.run(t)
	if got != code || stdout != "" || strings.Count(stderr, "\n") != 1 ||
		!strings.HasPrefix(stderr, "atomprobe: ") {
		t.Errorf("atomprobe %s: exit code %d, want %d\nstdout: %s\nstderr: %s", strings.Join(c.args, " "),
			got, code, stdout, stderr)
	}
	for _, w := range words {
		if !strings.Contains(stderr, w) {
			t.Errorf("atomprobe %s: %q is missing in %s", strings.Join(c.args, " "), w, stderr)
		}
	}
	return stderr
}
