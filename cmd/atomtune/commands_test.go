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
	"github.com/atomtune/atomtune/internal/command/commandtest"
	"github.com/atomtune/atomtune/internal/golden"
)

// TestEveryFlag: no flag takes an empty value for none, and whatever reads a file says how much of it.
func TestEveryFlag(t *testing.T) {
	run := func(args ...string) commandtest.Outcome { return atomtune("", args...) }
	commandtest.EveryFlag(t, newRoot(newEnv(nil, nil, nil)), run, 150, 15, 7, "atomtune train")
}

// shorter are lines that take less time than the examples that they stand for, and do the same; of a command whose
// others run, none.
var shorter = map[string]string{
	"atomtune train --target dispatch --device h200 --points 264 --max-updates 16384 --out tree.json": tinyTree +
		" --device h200 --out tree.json",
	"atomtune report": "",
	"atomtune tables --device gtx680 --type u32 --updates 4096": "",
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
		"latency":          "latency --device gtx580 --type f32 --patterns patterns.txt",
		"latency-simulate": "latency --device gtx580 --type f32 --simulate --patterns patterns.txt",
		"latency-json":     "latency --device gtx580 --type f32 --json --patterns patterns.txt",
	} {
		golden.Text(t, filepath.Join(testdata, name+".golden"), done(t, line(args)...))
	}
}

// TestNumbers: the numbers, launches and parameters that commands print for people are those of testdata/numbers.txt,
// which holds the command lines too.
func TestNumbers(t *testing.T) {
	golden.OnlyFull(t)
	inputs(t)
	path := filepath.Join(testdata, "numbers.txt")
	var lines []string
	for text := range strings.Lines(string(read(t, path))) {
		if !strings.HasPrefix(text, "\t") {
			text = strings.TrimSpace(text)
			lines = append(lines, text, "\t"+commandtest.Numbers(done(t, line(text)...)))
		}
	}
	golden.Compare(t, path, lines)
}

// notOfRows are flags that row scatters cannot follow.
const notOfRows = `--op mad|--value one|--returns|--launch 132x256|--model tree.json|` +
	`--sampling-cost 3|--sampling-most 3|--sample-from 5|--save-plan plans.txt|--index u16`

// TestWrongUse: what fails names the place, and exits with 2 where a different command line would mend it.
func TestWrongUse(t *testing.T) {
	inputs(t)
	var rows []string
	for flags := range strings.SplitSeq(notOfRows, "|") {
		flag, _, _ := strings.Cut(strings.Fields(flags)[0], "=")
		rows = append(rows, "2 choose --width 4 "+flags+" indices.npy | --width "+flag)
	}
	commandtest.WrongUse(t, filepath.Join(testdata, "wrong.txt"), func(text string) commandtest.Outcome {
		return atomtune("", line(text)...)
	}, rows...)
	for _, flags := range []string{"--op add --value loaded --type f32 --value-type f32 --returns=false",
		"--op max --type i64 --clear=false --search-launch=false", "--relaid --exact --type f64"} {
		done(t, line("choose --width 4", flags, "indices.npy")...)
	}
}
