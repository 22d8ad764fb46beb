package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/atomtune/atomtune/bindings/gpu/libcuda"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/commandtest"
	"github.com/atomtune/atomtune/internal/standin"
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
	for name, without := range map[*string]string{&oldest: "OCCUPANCY", &nameless: "UUID"} {
		other := filepath.Join(folder, without)
		if err = os.Mkdir(other, 0o755); err == nil {
			*name, err = standin.Build(other, "WITHOUT_"+without)
		}
		if err != nil {
			return err
		}
	}
	return nil
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

// run carries the program out.
func (c call) run(t *testing.T) (o commandtest.Outcome) {
	t.Helper()
	command := c.command()
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	err := command.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return commandtest.Outcome{Line: append([]string{"atomprobe"}, c.args...), Code: command.ProcessState.ExitCode(),
		Stdout: out.String(), Stderr: errs.String()}
}

// done demands that the program succeeds, prints something and says nothing on standard error.
func (c call) done(t *testing.T) (stdout string) {
	t.Helper()
	o := c.run(t)
	if o.Stderr != "" {
		t.Fatalf("%q: %s", o.Line, o.Stderr)
	}
	return o.Done(t)
}

// fails demands an exit code and a message that names the words.
func (c call) fails(t *testing.T, code int, words ...string) {
	t.Helper()
	c.run(t).Failed(t, code, words...)
}

// waits starts the program, and returns once something holds.
func (c call) waits(t *testing.T, until func() bool) (running *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	running, stdout, stderr = c.command(), new(bytes.Buffer), new(bytes.Buffer)
	running.Stdout, running.Stderr = stdout, stderr
	if err := running.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); !until(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%q does not come so far", c.args)
		}
	}
	return running, stdout, stderr
}

// end sends a running program a signal, and returns the exit code: -1 of one that was killed.
func end(t *testing.T, running *exec.Cmd, signal syscall.Signal) (code int) {
	t.Helper()
	if err := running.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(30*time.Second, func() { _ = running.Process.Kill() }).Stop() // where it is deaf
	_ = running.Wait()                                                                 // its exit code says how it ended
	return running.ProcessState.ExitCode()
}

// counted is how often a word is in a file, which may not be there yet.
func counted(path, word string) int {
	text, _ := os.ReadFile(path)
	return bytes.Count(text, []byte(word))
}
