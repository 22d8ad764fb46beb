package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
)

// someStreams are as many streams of each half as TestHeldOutIsNotRead reads, and must not read.
const someStreams = 40

// recordedRun is a run of some of the recorded streams and their calls of one kind.
func recordedRun(t *testing.T) (run recordings.Run) {
	t.Helper()
	data, err := h100.Archive.File(recordings.StreamsFile)
	if err != nil {
		t.Fatal(err)
	}
	streams, err := recordings.DecodeStreams(recordings.StreamsFile, data)
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]bool{}
	count := map[recordings.Part]int{}
	for _, s := range streams {
		if half := recordings.Half(s.Label); count[half] < someStreams {
			count[half]++
			taken[s.Label] = true
			run.Streams = append(run.Streams, s)
		}
	}
	if data, err = h100.Archive.File(recordings.CallsFile); err != nil {
		t.Fatal(err)
	}
	var calls []recordings.Call
	if run.Provenance, calls, err = recordings.DecodeCalls(recordings.CallsFile, data); err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		if taken[c.Label] && c.Call == (device.Call{Type: device.F32}) {
			run.Calls = append(run.Calls, c)
		}
	}
	if count[recordings.Fit] != someStreams || count[recordings.HeldOut] != someStreams ||
		len(run.Calls) < 1000 {
		t.Fatalf("streams %v, %d calls", count, len(run.Calls))
	}
	return run
}

// slowed is the run with every time of a half twice as long and more, by another factor for each
// call, so that no fit could come out the same.
func slowed(run recordings.Run, half recordings.Part) recordings.Run {
	run.Calls = slices.Clone(run.Calls)
	for i := range run.Calls {
		if c := &run.Calls[i]; recordings.Half(c.Label) == half {
			factor := 2 + float64(i%7)
			c.MedianUS, c.MinUS, c.MaxUS = factor*c.MedianUS, factor*c.MinUS, factor*c.MaxUS
		}
	}
	return run
}

// TestHeldOutIsNotRead: a model that gets its intervals as script/regenerate models gives them to the embedded ones
// is the same to the byte, whatever the calls of the held-out half took; those of the fit half change it.
func TestHeldOutIsNotRead(t *testing.T) {
	judged := func(run recordings.Run) []byte {
		folder := t.TempDir()
		if _, err := recordings.WriteFolder(folder, run); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(folder, "m.json.gz")
		done(t, "train", "--device", "h100", "--measurements", folder, "--part", "fit", "--no-model",
			"--out", out)
		return read(t, out)
	}
	run := recordedRun(t)
	want := judged(run)
	if !bytes.Equal(judged(slowed(run, recordings.HeldOut)), want) {
		t.Error("the held-out half is read")
	}
	if bytes.Equal(judged(slowed(run, recordings.Fit)), want) {
		t.Error("the fit half changes nothing: this test cannot fail")
	}
}
