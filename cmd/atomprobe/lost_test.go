package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/standin"
)

// lostAt are calls of the driver at which tests take the device away: more of them with ATOMTUNE_FULL.
func lostAt() (calls []int) {
	growth := 3.0
	if golden.Full() {
		growth = 1.07
	}
	for n := 1.0; ; n = max(n+1, n*growth) {
		calls = append(calls, int(n))
		if n > 1e7 {
			return calls
		}
	}
}

// failures are codes of the driver: the device is unavailable, its memory has failed, it is gone, a
// kernel has died, it is not known why.
var failures = []int{46, 214, 100, 719, 999}

// loses runs the program with a device that is taken away at a call, and reports whether it came so
// far. Then it must have failed with one line that holds the words, and asked nothing more of the
// driver but to take the device back.
func (c call) loses(t *testing.T, at int, words ...string) (stdout string, lost bool) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	code := failures[at%len(failures)]
	got := c.with(fmt.Sprintf("%s=lost:%d:%d", standin.FaultVariable, at, code), standin.LogVariable+"="+log).run(t)
	if got.Code == exitDone {
		return got.Stdout, false
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "failed ") && !strings.HasPrefix(line, "failed cuDevice") {
			calls++ // not one that reads the clocks, which may be unknown, or gives the device back
		}
	}
	stdout, got.Stdout = got.Stdout, ""
	if got.Failed(t, exitFailed, append(words, fmt.Sprintf("(%d)", code))...); calls > 1 {
		t.Errorf("lost at call %d: %d calls of a lost device", at, calls)
	}
	return stdout, true
}

// TestTakenAway: a device that is taken away ends the run with an error that says at which job and
// how to go on; what was finished is kept, and the same command then leaves the files of an
// undisturbed run.
func TestTakenAway(t *testing.T) {
	times, kept := 0, 0
	for _, at := range lostAt() {
		folder := filepath.Join(t.TempDir(), "run")
		run := onStandin(append(steady, "--out", folder)...)
		_, lost := run.loses(t, at)
		if !lost {
			break
		}
		times++
		if jobs(folder) > 0 {
			kept++
			run.with(fmt.Sprintf("%s=lost:1:%d", standin.FaultVariable, failures[0])).fails(t, exitFailed, "(46)")
			if onStandin(append(steady, "--out", folder)...).loses(t, 40, "suite ", folder); t.Failed() {
				return
			}
		}
		run.done(t)
		same(t, results(t, folder), whole(t))
	}
	if times < 8 || kept < 4 {
		t.Errorf("the device was taken away %d times, %d of them after a job", times, kept)
	}
	t.Logf("the device was taken away %d times, %d of them after a job", times, kept)
}

// TestTakenAwayWhileTimed: calls that were timed before the device was taken away are told, and the
// exit code says that it failed.
func TestTakenAwayWhileTimed(t *testing.T) {
	times, told := 0, 0
	for _, at := range lostAt() {
		stdout, lost := onStandin("time", "synth:zipf:n=2048,k=64", "--implementation", "naive",
			"--implementation", "private", "--implementation", "match").loses(t, at)
		if !lost {
			break
		}
		times++
		if strings.Contains(stdout, "naive") {
			told++
		}
	}
	if times < 6 || told < 1 {
		t.Errorf("the device was taken away %d times, calls were told %d times", times, told)
	}
	t.Logf("the device was taken away %d times, calls were told %d times", times, told)
}
