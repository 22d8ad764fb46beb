package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/standin"
	"github.com/atomtune/atomtune/microbench"
	"github.com/atomtune/atomtune/microbench/timing"
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
	for _, want := range []string{path, "2,000", "f32", doc.Timed[0].Implementation.String() + " in " +
		doc.Timed[0].Launch.String() + ", ", doc.Choice.Implementation.String() + " "} {
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
	if !strings.Contains(text, "profile of Stand-in GPU") {
		t.Errorf("no word of a profile in\n%s", text)
	}
}

// TestTimeFails: an implementation with a wrong result is printed behind the others; a kernel that fails ends the
// timing, and what was timed before is printed. The exit code is 1.
func TestTimeFails(t *testing.T) {
	for fault, c := range map[string]struct{ stderr, last string }{
		"wrong:update_sr_u32_loaded": {microbench.ErrWrong.Error(), "sr in "}, "address:40": {"CUDA_ERROR_ILLEGAL_ADDRESS", ""}} {
		got := onStandin("time", timedStream(t)).with(standin.FaultVariable + "=" + fault).run(t)
		lines := strings.Split(strings.TrimSpace(got.Stdout), "\n")
		if got.Code != exitFailed || !strings.Contains(got.Stderr, c.stderr) || len(lines) < 5 ||
			!strings.Contains(lines[len(lines)-1], c.last) {
			t.Errorf("%s: %+v", fault, got)
		}
	}
}

// TestTimeInterrupt: an interrupt prints what was timed.
func TestTimeInterrupt(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	c := onStandin("time", "--json", "--budget", "0", timedStream(t)).with(slow, standin.LogVariable+"="+log)
	running, stdout, stderr := c.waits(t, func() bool { return counted(log, "launch update_") >= 50 })
	code := end(t, running, syscall.SIGINT)
	var doc timeDocument
	if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil || code != exitInterrupted || doc.Ended != timing.Cut ||
		len(doc.Timed) == 0 || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("%v, exit code %d, %s, %+v", err, code, stderr.String(), doc)
	}
}
