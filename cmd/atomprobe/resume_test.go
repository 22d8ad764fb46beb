package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/standin"
	"github.com/atomtune/atomtune/microbench"
)

// steady are suites whose numbers the stand-in makes, so that two runs give the
// same; in suite call the host is timed.
var steady = []string{"--quick", "--suite", "device", "--suite", "warp", "--suite", "shared",
	"--suite", "scratchpad", "--suite", "instruction"}

// slow lets every launch take a while, so that a signal comes in between.
const slow = standin.SlowVariable + "=400"

// cut runs the program until its checkpoint has some jobs, and then sends a signal.
func cut(t *testing.T, folder string, signal syscall.Signal) (stderr string, code int) {
	t.Helper()
	running, _, errs := onStandin(append(steady, "--out", folder)...).with(slow).waits(t, func() bool { return jobs(folder) >= 3 })
	code = end(t, running, signal)
	return errs.String(), code
}

// jobs counts the whole lines of the checkpoint behind its header.
func jobs(folder string) int {
	return counted(filepath.Join(folder, microbench.CheckpointFile), "\n") - 1
}

// uninterrupted are the files of an uninterrupted run, once there was one.
var uninterrupted map[string]string

func whole(t *testing.T) map[string]string {
	t.Helper()
	if uninterrupted == nil {
		folder := t.TempDir()
		onStandin(append(steady, "--out", folder)...).done(t)
		uninterrupted = results(t, folder)
	}
	return uninterrupted
}

// results returns the result files of a folder, without the line that dates the
// run.
func results(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, text := range contents(t, folder) {
		name, text, _ := strings.Cut(text, "\n")
		if name == microbench.CheckpointFile {
			continue
		}
		var kept []string
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "# start: ") {
				kept = append(kept, line)
			}
		}
		all[name] = strings.Join(kept, "")
	}
	if len(all[recordings.ReadingsFile]) < 1000 || len(all[recordings.ScratchpadFile]) < 1000 {
		t.Fatalf("%d files", len(all))
	}
	return all
}

func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s is not that of an uninterrupted run", name)
		}
	}
}

// TestAnotherGPU: a run that was begun on one GPU does not go on on another of the
// same name, nor with a stream of other content.
func TestAnotherGPU(t *testing.T) {
	folder, stream := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "s.txt")
	write := func(text string) {
		if err := os.WriteFile(stream, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("0\n1\n")
	args := []string{"--quick", "--suite", "device", "--suite", "calls", "--specs", fewStreams(t),
		"--stream", stream, "--out", folder}
	onStandin(args...).done(t)
	text, err := os.ReadFile(filepath.Join(folder, recordings.ReadingsFile))
	if err != nil || !strings.Contains(string(text), "\n# gpu_uuid: GPU-00112233-") ||
		!strings.Contains(string(text), "\n# plan: ") {
		t.Errorf("%v, %.500s", err, text)
	}
	onStandin(args...).with(standin.UUIDVariable+"=3").fails(t, exitFailed, microbench.ErrCheckpoint.Error(),
		"GPU-00112233-", "want \"GPU-30112233-")
	write("0\n2\n")
	onStandin(args...).fails(t, exitFailed, microbench.ErrCheckpoint.Error(), "plan")
}

// TestTwoProcesses: a second process is refused while one measures into a folder, and
// does not harm it.
func TestTwoProcesses(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	first, _, _ := onStandin(append(steady, "--out", folder)...).with(slow).waits(t, func() bool { return jobs(folder) > 0 })
	for _, more := range [][]string{nil, {"--restart"}} {
		onStandin(append(append(steady[:len(steady):len(steady)], "--out", folder), more...)...).fails(t,
			exitFailed, microbench.ErrBusy.Error(), microbench.CheckpointFile)
	}
	end(t, first, syscall.SIGKILL)
	onStandin(append(steady, "--out", folder)...).done(t)
	same(t, results(t, folder), whole(t))
}

// TestInterrupt: an interrupt lets the job end, keeps what was done and says how
// to go on.
func TestInterrupt(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		folder := filepath.Join(t.TempDir(), "run")
		stderr, code := cut(t, folder, signal)
		before := jobs(folder)
		if code != exitInterrupted || !strings.Contains(stderr, filepath.Join(folder, microbench.CheckpointFile)) ||
			!strings.Contains(stderr, fmt.Sprintf(" %d of ", before)) {
			t.Fatalf("%v: exit code %d, %s, want %d jobs", signal, code, stderr, before)
		}
		onStandin(append(steady, "--out", folder)...).done(t)
		if before < 3 || jobs(folder) <= before {
			t.Errorf("%d jobs, then %d", before, jobs(folder))
		}
		same(t, results(t, folder), whole(t))
	}
}

// TestInterruptInKernel: an interrupt does not wait for a kernel that never ends, and what was done before
// it is kept.
func TestInterruptInKernel(t *testing.T) {
	log, folder := filepath.Join(t.TempDir(), "log"), filepath.Join(t.TempDir(), "run")
	for want, args := range map[string][]string{
		filepath.Join(folder, microbench.CheckpointFile) + " has 1 of 41 ": append(steady[:len(steady):len(steady)], "--out", folder),
		"nothing": {"time", timedStream(t)},
	} {
		_ = os.Remove(log) // of the command before
		c := onStandin(args...).with(standin.SlowVariable+"=1000000000", standin.LogVariable+"="+log)
		running, _, errs := c.waits(t, func() bool { return counted(log, "launch ") > 0 })
		if code := end(t, running, syscall.SIGINT); code != exitInterrupted || !strings.Contains(errs.String(), want) {
			t.Errorf("%v: exit code %d, %s, want %q", args, code, errs.String(), want)
		}
	}
}

// TestOtherRun: a folder of another run is refused, and --restart begins anew.
func TestOtherRun(t *testing.T) {
	folder := t.TempDir()
	onStandin("--quick", "--suite", "device", "--suite", "warp", "--out", folder).done(t)
	other := []string{"--quick", "--suite", "device", "--out", folder}
	onStandin(other...).fails(t, exitFailed, microbench.ErrCheckpoint.Error(), microbench.CheckpointFile+":1", "--suite warp")
	onStandin(append(other, "--restart")...).done(t)
	if run := readFolder(t, folder); len(run.Readings) != 16 {
		t.Errorf("%d readings, want those of suite device alone", len(run.Readings))
	}
	checkpoint := filepath.Join(folder, microbench.CheckpointFile)
	if err := os.WriteFile(checkpoint, []byte("{\"format\":\"another\"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	onStandin(other...).fails(t, exitFailed, microbench.ErrCheckpoint.Error(), microbench.CheckpointFile+":1",
		"another")
}
