package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/probe"
)

// wrongLines are command lines with a word that the error must hold.
var wrongLines = []struct{ line, word string }{
	{"", "no command"},
	{"mesure", `there is no command "mesure" (`},
	{"--quick", "--out"},
	{"--quick --full --out run", "exclude"},
	{"--out run", "--quick"},
	{"--quick --suite calling --out run", "calling"},
	{"--quick --suite warp --suite warp --out run", "twice"},
	{"--quick --type u33 --out run", "u33"},
	{"--quick --implementation vs --out run", "vs"},
	{"--quick --implementation vr:t=9 --out run", "vr:t=9"},
	{"--quick --implementation vr:m=2 --out run", "vr:m=2"},
	{"--quick --implementation vr --implementation vr --out run", "twice"},
	{"--quick --repeats -1 --out run", "-1"},
	{"--quick --repeats 5000 --out run", "5000"},
	{"--quick --repeats many --out run", "whole number"},
	{"--quick --repeats 99999999999999999999 --out run", "too large"},
	{"--quick --device one --out run", "one"},
	{"--quick --suite counters --ncu /nowhere/ncu --out run", "/nowhere/ncu"},
	{"measure", "--out"},
	{"measure run", "run"},
	{"measure --nothing", "--nothing"},
	{"devices 0", "0"},
	{"kernels launch", "launch"},
	{"merge run1 run2", "--out"},
	{"merge --out all run1", "two"},
	{"launch", "CASE"},
	{"streams --specs list", "--out"},
	{"streams --out here", "--specs"},
	{"streams list", "list"},
	{"launch nothing", "nothing"},
	{"version now", "now"},
	{"completion", "bash"},
	{"completion tcsh", "tcsh"},
	{"help nothing", "nothing"},
}

// TestWrongUse: what a different command line would mend is exit code 2, with the lines of
// testdata/wrong.txt.
func TestWrongUse(t *testing.T) {
	var said []string
	for _, l := range wrongLines {
		c := onStandin(strings.Fields(l.line)...)
		c.folder = t.TempDir()
		said = append(said, l.line, "\t"+strings.TrimSpace(c.fails(t, exitUsage, l.word)))
		if left, err := filepath.Glob(filepath.Join(c.folder, "*")); err != nil || len(left) > 0 {
			t.Errorf("%s leaves %v, %v", l.line, left, err)
		}
	}
	golden.Compare(t, filepath.Join("testdata", "wrong.txt"), said)
}

// TestMergeUse: the result goes neither into a run nor over one, and runs with other
// options are not merged.
func TestMergeUse(t *testing.T) {
	folder := t.TempDir()
	for name, repeats := range map[string]string{"run1": "2", "run2": "3", "run3": "2"} {
		c := onStandin("--quick", "--suite", "device", "--repeats", repeats, "--out", name)
		c.folder = folder
		c.done(t)
	}
	if err := os.Mkdir(filepath.Join(folder, "copy"), 0o755); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(folder, "run1", recordings.ReadingsFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "copy", recordings.ReadingsFile), data,
		0o644); err != nil {
		t.Fatal(err)
	}
	for line, word := range map[string]string{
		"merge --out run3 run1 run2":                                    probe.JournalFile,
		"merge --out run1 run1 run3":                                    probe.JournalFile,
		"merge --out ./copy run3 ../" + filepath.Base(folder) + "/copy": "one of the runs",
		"merge --out all run1 run2":                                     "--repeats 3",
	} {
		c := onStandin(strings.Fields(line)...)
		c.folder = folder
		c.fails(t, exitUsage, word)
		if _, err := os.Stat(filepath.Join(folder, "all")); err == nil {
			t.Errorf("%s leaves a folder", line)
		}
	}
}

// TestFailures: what no other command line mends is exit code 1.
func TestFailures(t *testing.T) {
	folder := t.TempDir()
	onStandin("merge", "--out", filepath.Join(folder, "all"), filepath.Join(folder, "run1"),
		filepath.Join(folder, "run2")).
		fails(t, exitFailed, "run1")
	onStandin("--quick", "--suite", "device", "--out", "/proc/run").fails(t, exitFailed, "/proc/run")
	onStandin("--quick", "--suite", "calls", "--stream", filepath.Join(folder, "none.npy"), "--out",
		filepath.Join(folder, "run")).
		fails(t, exitFailed, "none.npy")
}

// TestProfilerOfWorkingFolder: a profiler that lies in the working folder is not run, though PATH
// names that folder.
func TestProfilerOfWorkingFolder(t *testing.T) {
	folder := t.TempDir()
	ran := filepath.Join(folder, "ran")
	script := "#!/bin/sh\ntouch '" + ran + "'\n"
	if err := os.WriteFile(filepath.Join(folder, "ncu"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{".", ""} {
		for _, line := range []string{"--quick --suite counters --out run",
			"--quick --suite counters --ncu ncu --out run"} {
			c := onStandin(strings.Fields(line)...).with("PATH=" + path)
			c.folder = folder
			c.fails(t, exitUsage, `"ncu" is not found`)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the profiler of the working folder was run")
	}
}
