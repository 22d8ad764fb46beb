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
	"github.com/atomtune/atomtune/probe"
)

// TestEveryFlag: no flag takes an empty value for none, and whatever reads a file says how much of it.
func TestEveryFlag(t *testing.T) {
	run := func(args ...string) commandtest.Outcome { return onStandin(args...).run(t) }
	commandtest.EveryFlag(t, newRoot(newEnv(nil, nil, nil)), run, 40, 2, 0, "atomprobe streams")
}

// shorter are lines that take less time than the examples that they stand for: of suite device alone.
var shorter = map[string]string{
	"atomprobe --full --out run":          "atomprobe --full --suite device --restart --out run",
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

// wrong are command lines that must fail, with what the message names.
const wrong = `2 | --stream --quick --full
2 mesure | mesure
2 --quick | --out
2 --quick --full --out run | --quick --full
2 --out run | --quick
2 --quick --suite calling --out run | calling
2 --quick --suite warp --suite warp --out run | warp
2 --quick --type u33 --out run | u33
2 --quick --implementation vs --out run | vs
2 --quick --implementation vr:t=9 --out run | vr:t=9
2 --quick --implementation vr --implementation vr --out run | vr
2 --quick --repeats -1 --out run | -1
2 --quick --repeats 5000 --out run | 5000
2 --quick --repeats many --out run | many
2 --quick --repeats 99999999999999999999 --out run | 99999999999999999999
2 --quick --device one --out run | one
1 --quick --device 1 --suite device --out run | 1
1 --quick --device -1 --suite device --out run | -1
2 --quick --suite counters --ncu /nowhere/ncu --out run | /nowhere/ncu
1 --quick --suite device --out /proc/run | /proc/run
1 --quick --suite calls --stream none.npy --out run | none.npy
2 --quick --out run --value one | --value
2 --quick --out run --budget 5 | --budget
2 --stream a --stream b | 2
2 --stream a --seed 3 | --seed
2 --stream a --type u32 --type f32 | --type
2 --stream a --quick | --out
1 --stream synth:uniform:n=9,k=4 --implementation sort | sort
2 time | FILE
2 time a b | 2
2 time x --budget -1 | --budget -1
2 time x --op max | --op max
2 time x --repeats 2000 | 2000
2 time x --implementation vr:m=2 | vr:m=2
2 time x --profile none | none
1 time none.u32 | none.u32
1 time synth:uniform:n=9,k=4 --budget 1e-9 | --budget 1e-09
2 measure | --out
2 measure run | run
2 measure --nothing | --nothing
2 devices 0 | 0
2 kernels launch | launch
2 merge run1 run2 | --out
2 merge --out all run1 | RUN 1
1 merge --out all run1 run2 | run1
2 launch | CASE
2 launch nothing | nothing
2 streams --specs list | --out
2 streams --out here | --specs
2 streams list | list
2 version now | now
2 completion tcsh | tcsh
2 help nothing | nothing`

// TestWrongUse: what fails names the place, leaves nothing, and exits with 2 where a different command line would
// mend it.
func TestWrongUse(t *testing.T) {
	commandtest.WrongUse(t, wrong, func(line string) commandtest.Outcome {
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
		"merge --out run3 run1 run2":                                    probe.JournalFile,
		"merge --out run1 run1 run3":                                    probe.JournalFile,
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
