package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/internal/command/commandtest"
	"github.com/atomtune/atomtune/internal/golden"
)

// TestEveryFlag: no flag takes an empty value for none, and whatever reads a file says how much of it.
func TestEveryFlag(t *testing.T) {
	run := func(args ...string) commandtest.Outcome { return atomtune("", args...) }
	commandtest.EveryFlag(t, newRoot(newEnv(nil, nil, nil)), run, 150, 15, 7, "atomtune train")
}

// shorter are lines that take less time than the examples that they stand for, and do the same.
var shorter = map[string]string{
	"atomtune train --target dispatch --device h200 --points 264 --max-updates 16384 --out tree.json": tinyTree +
		" --device h200 --out tree.json",
}

// TestExamples: every command has an example, and all examples work.
func TestExamples(t *testing.T) {
	inputs(t)
	commandtest.Examples(t, newRoot(newEnv(nil, nil, nil)), shorter, func(line string) commandtest.Outcome {
		if strings.Contains(line, "|") {
			return pipeline(t, line)
		}
		return atomtune("", strings.Fields(strings.TrimPrefix(line, "atomtune "))...)
	})
}

// pipeline runs a line in a shell whose atomtune is this test binary.
func pipeline(t *testing.T, line string) commandtest.Outcome {
	t.Helper()
	path, err := os.Executable()
	if err == nil {
		err = os.MkdirAll("bin", 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", asCommand, path)
	if err := os.WriteFile("bin/atomtune", []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("sh", "-c", `PATH="$PWD/bin:$PATH"; `+line)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // its exit code is looked at
	return commandtest.Outcome{Line: strings.Fields(line), Code: cmd.ProcessState.ExitCode(), Stdout: stdout.String(),
		Stderr: stderr.String()}
}

// TestFamilies: the commands that take streams list how to make them.
func TestFamilies(t *testing.T) {
	for _, command := range []string{"analyze", "choose", "simulate"} {
		text := done(t, command, "--help")
		for _, f := range synth.Families() {
			for _, p := range f.Params {
				if !strings.Contains(text, "\n  "+f.Name+" ") || !strings.Contains(text, "\n    "+p.Name+"=") {
					t.Errorf("help of %s lacks the family %s or its %s", command, f.Name, p.Name)
				}
			}
		}
	}
}

// TestStructuredPatterns: the help says how many there are.
func TestStructuredPatterns(t *testing.T) {
	if n := len(patterns.Structured()); n != structuredPatterns {
		t.Errorf("%d structured patterns, the help says %d", n, structuredPatterns)
	}
}

// TestGolden compares what commands print for programs with committed files.
func TestGolden(t *testing.T) {
	inputs(t)
	for name, args := range map[string]string{
		"analyze-json":     "analyze --json indices.npy",
		"devices-json":     "devices --json",
		"latency":          "latency --device gtx580 --type f32 --patterns patterns.txt",
		"latency-simulate": "latency --device gtx580 --type f32 --simulate --patterns patterns.txt",
		"latency-json":     "latency --device gtx580 --type f32 --json --patterns patterns.txt",
	} {
		golden.Text(t, filepath.Join(testdata, name+".golden"), done(t, line(args)...))
	}
}

// people are command lines whose answers for people have their numbers in testdata/numbers.txt.
const people = `choose --explain --type f32 --op max --device rtx4090 synth:cells:n=65536,k=4096,seed=5
choose --cautious --no-sort --memory 64KiB --device l40s synth:hotspot:n=65536,k=4096,seed=5,h=3,p=0.7
choose --deterministic --type f32 --relaid synth:permuted:n=65536,k=65536,seed=5
choose --type u32 --value one --only naive --only private:* --only sort synth:zipf:n=65536,k=64,seed=5,s=1
choose --exclude naive --launch 264x256 synth:uniform:n=65536,k=64,seed=5
choose --type f32 --launches 1000000 synth:zipf:n=262144,k=64,seed=5,s=1
choose --clear=false --returns --simulate --type u64 synth:stride:n=8192,k=64,step=3
choose --model tree.json --type f64 indices.npy
choose synth:sorted:n=65536,k=4096,seed=5 synth:uniform:n=65536,k=64,seed=5
choose --width 128 --type bf16 --explain synth:zipf:n=65536,k=2000,seed=5,s=1
analyze --warp 64 --block 512 synth:image:n=65536,k=4096,seed=5,noise=0.3
analyze --sample 8 --seed 3 indices.npy
analyze --keys --column city keys.csv
analyze --width 16 --bins 80 indices.npy
simulate --type f64 --impl hot:s=256,r=1 synth:zipf:n=8192,k=4096,seed=5,s=1
simulate --impl naive --width 16 synth:zipf:n=4096,k=256,seed=5,s=1
latency --simulate --device gtx580 --type f32 --explain --patterns patterns.txt
latency --device gtx580 --type u64 --explain --patterns patterns.txt
optimize --words 300 --type f64 --device h200 --order sorted
optimize --device gtx580 --type f32 --words 256 --block 1024
patterns --words 64 --seed 9 --count 5
fit --device gtx580 --type f32 --out mine.json measurements.csv
fit --name mine --out mine.json run/readings.csv run/scratchpad.csv
train --device gtx680 --points 24 --seed 5 --max-updates 1100 --max-bins 999 --screen 2 --workers 1 --out m.json
train --no-model --measurements measured --out m.json
train --target dispatch --points 16 --max-updates 8192 --max-bins 4096 --device h100 --out mine.json
tables --device a100 --type u32 --updates 4096
devices
devices h100
devices --all mi300x
emit --type u32 --impl match --launch 66x256 synth:zipf:n=65536,k=64,seed=5,s=1`

// TestNumbers: the numbers, launches and parameters that commands print for people.
func TestNumbers(t *testing.T) {
	inputs(t)
	var lines []string
	for text := range strings.SplitSeq(people, "\n") {
		lines = append(lines, text, "\t"+commandtest.Numbers(done(t, line(text)...)))
	}
	golden.Compare(t, filepath.Join(testdata, "numbers.txt"), lines)
}
