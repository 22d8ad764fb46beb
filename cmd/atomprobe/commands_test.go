package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/command/commandtest"
	"github.com/atomtune/atomtune/microbench"
)

// TestEveryFlag: no flag takes an empty value for none, and whatever reads a file says how much of it.
func TestEveryFlag(t *testing.T) {
	run := func(args ...string) commandtest.Outcome { return onStandin(args...).run(t) }
	commandtest.EveryFlag(t, newRoot(newEnv(nil, nil, nil)), run, 40, 2, 0, "atomprobe streams")
}

// shorter are lines that take less time than the examples that they stand for: of suite device alone.
var shorter = map[string]string{
	"atomprobe --full --out full":         "atomprobe --full --suite device --restart --out full",
	"atomprobe --quick --out run":         "atomprobe --quick --suite device --restart --out run",
	"atomprobe measure --quick --out run": "atomprobe measure --quick --suite device --restart --out run",
	"atomprobe measure --quick --suite calls --type u64 --stream indices.txt --out mine": "atomprobe measure --quick " +
		"--suite device --type u64 --stream indices.txt --out mine",
}

// TestExamples: every command has an example, and all examples work on the stand-in.
func TestExamples(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"indices.txt": "0\n1\n1\n", "specs.txt": "uniform:n=9,k=4,seed=1\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(line string) commandtest.Outcome {
		c := onStandin(strings.Fields(line)[1:]...)
		c.folder = folder
		return c.run(t)
	}
	run("atomprobe --quick --suite device --suite warp --out run1").Done(t)
	time.Sleep(1100 * time.Millisecond) // they begin in different seconds
	run("atomprobe --quick --suite device --suite warp --out run2").Done(t)
	commandtest.Examples(t, newRoot(newEnv(nil, nil, nil)), shorter, run)
}

// TestJSON: --json prints one document and nothing else.
func TestJSON(t *testing.T) {
	folder := t.TempDir()
	for _, line := range []string{"devices", "kernels", "help measure", "launch global_lanes",
		"measure --quick --suite device --out " + filepath.Join(folder, "run")} {
		var doc map[string]any
		out := onStandin(append(strings.Fields(line), "--json")...).done(t)
		if err := json.Unmarshal([]byte(out), &doc); err != nil || len(doc) == 0 {
			t.Errorf("%s: %v in %.200s", line, err, out)
		}
	}
}

// TestWrongUse: what fails names the place, leaves nothing, and exits with 2 where a different command line would
// mend it.
func TestWrongUse(t *testing.T) {
	commandtest.WrongUse(t, "testdata/wrong.txt", func(line string) commandtest.Outcome {
		c := onStandin(strings.Fields(line)...)
		c.folder = t.TempDir()
		o := c.run(t)
		if left, err := filepath.Glob(filepath.Join(c.folder, "*.csv")); err != nil || len(left) > 0 {
			t.Errorf("%s leaves %v, %v", line, left, err)
		}
		return o
	})
}

// TestMergeUse: the result goes neither into a run nor over one, and runs with other options are not merged.
func TestMergeUse(t *testing.T) {
	folder := t.TempDir()
	for name, repeats := range map[string]string{"run1": "2", "run2": "3", "run3": "2"} {
		c := onStandin("--quick", "--suite", "device", "--repeats", repeats, "--out", name)
		c.folder = folder
		c.done(t)
	}
	data, err := os.ReadFile(filepath.Join(folder, "run1", recordings.ReadingsFile))
	if err == nil {
		err = os.Mkdir(filepath.Join(folder, "copy"), 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "copy", recordings.ReadingsFile), data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	for line, word := range map[string]string{
		"merge --out run3 run1 run2":                                    microbench.CheckpointFile,
		"merge --out run1 run1 run3":                                    microbench.CheckpointFile,
		"merge --out ./copy run3 ../" + filepath.Base(folder) + "/copy": "copy",
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

// TestProfilerOfWorkingFolder: a profiler that lies in the working folder is not run, though PATH names that folder.
func TestProfilerOfWorkingFolder(t *testing.T) {
	folder := t.TempDir()
	ran := filepath.Join(folder, "ran")
	if err := os.WriteFile(filepath.Join(folder, "ncu"), []byte("#!/bin/sh\ntouch '"+ran+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{".", ""} {
		for _, more := range []string{"", " --ncu ncu"} {
			c := onStandin(strings.Fields("--quick --suite counters --out run" + more)...).with("PATH=" + path)
			c.folder = folder
			c.fails(t, exitUsage, `"ncu"`)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the profiler of the working folder was run")
	}
}
