package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/microbench"
)

func readFolder(t *testing.T, folder string) recordings.Run {
	t.Helper()
	run, err := recordings.ReadFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// fewStreams are specifications of short streams, in place of the built-in ones, on which
// the stand-in takes most of a minute.
func fewStreams(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "streams.txt")
	text := "uniform:n=3001,k=70,seed=1\nsorted:n=1000,k=50000,seed=3\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestQuick: a quick run measures every suite, its files are read back, and
// nothing else is left. The same command again measures nothing and leaves the
// same files. With ATOMTUNE_FULL=1 it measures the built-in streams.
func TestQuick(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	quick, options := onStandin("--quick", "--json", "--out", folder), "--quick"
	if !golden.Full() {
		quick.args, options = append(quick.args, "--specs", fewStreams(t)), "--quick --specs streams.txt"
	}
	got := quick.run(t)
	var doc measureOutput
	if err := json.Unmarshal([]byte(got.Done(t)), &doc); err != nil {
		t.Fatalf("%v in %s", err, got.Stdout)
	}
	if doc.GPU != "Stand-in GPU" || doc.ComputeCapability != "9.0" || doc.Driver != "580.1.2" ||
		doc.Resumed != 0 {
		t.Errorf("%+v", doc)
	}
	for _, warning := range doc.Warnings {
		if !strings.Contains(got.Stderr, warning+"\n") {
			t.Errorf("the warning %q is not on standard error", warning)
		}
	}
	checkQuick(t, folder, options, doc)
	before := contents(t, folder)
	quick.run(t).Done(t)
	if after := contents(t, folder); !slices.Equal(before, after) {
		t.Error("the second time the files are others")
	}
}

// checkQuick compares what the program says of a run with its files.
func checkQuick(t *testing.T, folder, options string, doc measureOutput) {
	t.Helper()
	run := readFolder(t, folder)
	if len(run.Readings) != doc.Readings || len(run.Calls) != doc.Calls ||
		len(run.Streams) != doc.Streams ||
		len(run.Scratchpad.Columns) != doc.Columns || doc.Columns == 0 || doc.Streams == 0 {
		t.Errorf("files of %d readings, %d calls, %d streams; %+v", len(run.Readings), len(run.Calls),
			len(run.Streams), doc)
	}
	suites := map[string]int{}
	for _, r := range run.Readings {
		suites[r.Suite]++
	}
	for _, s := range microbench.Suites() {
		if suites[s] == 0 && !slices.Contains([]string{"scratchpad", "calls", "counters"}, s) {
			t.Errorf("no reading of suite %s", s)
		}
	}
	p := run.Provenance
	if p.GPU != doc.GPU || p.CUDA != "13.0" || p.Options != options ||
		!strings.HasPrefix(p.Program, "atomprobe ") || len(p.Starts) != 1 {
		t.Errorf("%+v", p)
	}
	if s := p.Starts[0]; s.SMClockBefore != 1480 || s.SMClockAfter != 1480 || s.MemoryClock != 1990 {
		t.Errorf("%+v", s)
	}
	names := append([]string{microbench.CheckpointFile}, doc.Files...)
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != len(names) || len(doc.Files) != 5 {
		t.Errorf("%v, %v: want %v", entries, err, names)
	}
	for _, c := range run.Calls {
		if c.Origin == recordings.Measured && !c.Correct {
			t.Errorf("%s on %s is wrong", c.Implementation, c.Label)
		}
	}
}

// contents returns the result files of a folder, name after name.
func contents(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) == 0 {
		t.Fatalf("%v, %v", entries, err)
	}
	var all []string
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Name()+"\n"+string(text))
	}
	return all
}
