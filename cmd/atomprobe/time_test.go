package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/gpu/libcuda/standin"
	"github.com/atomtune/atomtune/probe"
	"github.com/atomtune/atomtune/probe/timing"
)

// timedStream is a short stream in a file of text.
func timedStream(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mine.txt")
	if err := os.WriteFile(path, []byte(strings.Repeat("3\n1\n3\n0\n", 500)), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func timeDocumentOf(t *testing.T, c call) (doc timeDocument) {
	t.Helper()
	if err := json.Unmarshal([]byte(c.done(t)), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestTime: --stream alone is the command time, with the flags that measure has too, and standard
// input is a stream. Text and document say the same.
func TestTime(t *testing.T) {
	path := timedStream(t)
	flags := []string{"--type", "f32", "--value", "one", "--profile", "h100", "--repeats", "2",
		"--implementation", "naive", "--implementation", "private:r=2,pad=1", "--implementation", "sr"}
	doc := timeDocumentOf(t, onStandin(append([]string{"time", path, "--json"}, flags...)...))
	if doc.Stream.Updates != 2000 || doc.Stream.Bins != 4 || doc.Stream.Format != "text" ||
		doc.GPU != "Stand-in GPU" || doc.Call != (device.Call{Type: device.F32, Operand: device.One}) || len(doc.Best()) != 3 ||
		doc.Timed[0].Repeats != 2 || doc.Timed[0].PredictedUS == nil || doc.Choice == nil ||
		doc.Choice.Profile != "h100" || len(doc.Warnings) == 0 {
		t.Errorf("%+v", doc)
	}
	rooted := timeDocumentOf(t, onStandin(append(flags, "--stream", path, "--json")...))
	doc.ElapsedS, rooted.ElapsedS = 0, 0
	if !reflect.DeepEqual(doc, rooted) {
		t.Errorf("--stream alone gives\n%+v\ntime\n%+v", rooted, doc)
	}
	text := onStandin(append([]string{"time", path}, flags...)...).done(t)
	for _, want := range []string{"stream: " + path + " (text): 2,000 updates of 4 targets\n",
		"call: f32 targets, adding 1\n", "every implementation and launch\n", "fastest: " +
			doc.Timed[0].Implementation.String() + " in " + doc.Timed[0].Launch.String() + ", ",
		"choose: " + doc.Choice.Implementation.String() + " ", "not timed: it is not among",
		"warning: times are predicted by the profile of "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if lines := strings.Count(text, "private:r=2,pad=1  "); lines != 1 {
		t.Errorf("%d lines of private:r=2,pad=1 in\n%s", lines, text)
	}
	every := onStandin(append([]string{"time", path, "--all"}, flags...)...).done(t)
	if lines := strings.Count(every, "private:r=2,pad=1  "); lines < 3 {
		t.Errorf("%d lines of private:r=2,pad=1 in\n%s", lines, every)
	}
}

// TestTimeInput: standard input and synthetic streams are read, and options of formats hold.
func TestTimeInput(t *testing.T) {
	few := []string{"--implementation", "naive", "--json"}
	c := onStandin(append([]string{"time", "-"}, few...)...).command()
	c.Stdin = strings.NewReader("7\n7\n")
	out, err := c.Output()
	var doc timeDocument
	if err != nil || json.Unmarshal(out, &doc) != nil || doc.Stream.Updates != 2 || doc.Stream.Bins != 8 {
		t.Errorf("%v: %s", err, out)
	}
	doc = timeDocumentOf(t, onStandin(append(few, "--stream", "synth:uniform:n=99,k=7", "--bins", "9")...))
	if doc.Stream.Updates != 99 || doc.Stream.Bins != 9 || doc.Choice != nil {
		t.Errorf("%+v", doc)
	}
	text := onStandin("time", "synth:uniform:n=99,k=7").done(t)
	if !strings.Contains(text, "there is no built-in profile of Stand-in GPU") {
		t.Errorf("no word of a profile in\n%s", text)
	}
}

// TestTimeWrong: an implementation with a wrong result is printed behind the others, and the exit
// code is 1.
func TestTimeWrong(t *testing.T) {
	stdout, stderr, code := onStandin("time", timedStream(t)).
		with(standin.FaultVariable + "=wrong:update_sr_u32_loaded").run(t)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if code != exitFailed || !strings.Contains(stderr, probe.ErrWrong.Error()) ||
		!strings.HasPrefix(lines[len(lines)-1], "wrong: sr in ") {
		t.Errorf("exit code %d, %s\n%s", code, stderr, stdout)
	}
}

// TestTimeFault: a kernel that fails ends the timing; what was timed before is printed.
func TestTimeFault(t *testing.T) {
	stdout, stderr, code := onStandin("time", timedStream(t)).
		with(standin.FaultVariable + "=address:40").run(t)
	if code != exitFailed || !strings.Contains(stderr, "CUDA_ERROR_ILLEGAL_ADDRESS") ||
		!strings.Contains(stdout, "since the next one failed") || !strings.Contains(stdout, "fastest: ") {
		t.Errorf("exit code %d, %s\n%s", code, stderr, stdout)
	}
}

// TestTimeInterrupt: an interrupt prints what was timed.
func TestTimeInterrupt(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	c := onStandin("time", "--json", "--budget", "0", timedStream(t)).
		with(slow, standin.LogVariable+"="+log).command()
	var stdout, stderr strings.Builder
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	launches := func() int {
		text, _ := os.ReadFile(log) // it is not there at first
		return strings.Count(string(text), "launch update_")
	}
	for deadline := time.Now().Add(30 * time.Second); launches() < 50; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing was launched")
		}
	}
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // its exit code says how it ended
	var doc timeDocument
	if err := json.Unmarshal([]byte(stdout.String()), &doc); err != nil ||
		c.ProcessState.ExitCode() != exitInterrupted || doc.Ended != timing.Cut || len(doc.Timed) == 0 ||
		!strings.Contains(stderr.String(), " calls timed, the same command begins anew") {
		t.Errorf("%v, exit code %d, %s, %+v", err, c.ProcessState.ExitCode(), stderr.String(), doc)
	}
}

// TestTimeUse: wrong use, and streams that cannot be timed.
func TestTimeUse(t *testing.T) {
	path := timedStream(t)
	for line, word := range map[string]string{
		"time": "FILE", "time a b": "got 2", "time x --budget -1": "--budget -1", "time x --op max": "--op max",
		"time x --repeats 2000": "2000", "time x --type u33": "u33", "time x --implementation vs": "vs",
		"time x --implementation vr:m=2": "vr:m=2", "time x --profile none": "none",
		"--stream a --stream b":                       "got 2",
		"--stream a --seed 3":                         "--seed",
		"--stream a --type u32 --type f32":            "--type",
		"--stream a --quick":                          "--out",
		"--quick --out run --value one":               "--value",
		"--quick --out run --budget 5":                "--budget",
		"--stream " + path + " --implementation sort": "sort: it is no kernel",
	} {
		code := exitUsage
		if strings.Contains(line, "sort") {
			code = exitFailed
		}
		onStandin(strings.Fields(line)...).fails(t, code, word)
	}
	onStandin("time", path+".none").fails(t, exitFailed, path+".none")
	onStandin("time", path, "--budget", "1e-9").fails(t, exitFailed, "--budget 1e-09 is too short")
	empty := filepath.Join(t.TempDir(), "empty.txt")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	onStandin("time", empty).fails(t, exitFailed, empty)
}
