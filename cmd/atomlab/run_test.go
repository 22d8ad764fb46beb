package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/commandtest"
	"github.com/atomtune/atomtune/internal/golden"
)

// The exit codes.
const (
	exitDone   = command.ExitDone
	exitFailed = command.ExitFailed
	exitUsage  = command.ExitUsage
)

// atomlab runs one command line in this process, with a clock that stands still.
func atomlab(args ...string) commandtest.Outcome {
	var stdout, stderr bytes.Buffer
	e := newEnv(strings.NewReader(""), &stdout, &stderr)
	e.Now = func() time.Time { return time.Unix(0, 0) }
	if !golden.Full() {
		e.judge = madeUp
	}
	code := e.RunContext(context.Background(), newRoot(e), args)
	return commandtest.Outcome{Line: append([]string{"atomlab"}, args...), Code: code, Stdout: stdout.String(),
		Stderr: stderr.String()}
}

// done runs a command line that must succeed, and returns its output.
func done(t *testing.T, args ...string) string {
	t.Helper()
	return atomlab(args...).Done(t)
}

// failed runs a command line that must fail with the code, and names the words.
func failed(t *testing.T, code int, line string, words ...string) {
	t.Helper()
	atomlab(strings.Fields(line)...).Failed(t, code, words...)
}

// interrupted carries out a command line whose context has ended, or ends once the checkpoint has some lines.
func interrupted(t *testing.T, line, checkpoint string) commandtest.Outcome {
	t.Helper()
	var out, errs bytes.Buffer
	e := newEnv(nil, &out, &errs)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	code := make(chan int, 1)
	if checkpoint == "" {
		cancel()
	}
	args := strings.Fields(line)
	go func() { code <- e.RunContext(ctx, newRoot(e), args) }()
	for len(code) == 0 {
		if data, _ := os.ReadFile(checkpoint); bytes.Count(data, []byte("\n")) > 3 {
			cancel()
		}
		time.Sleep(time.Millisecond)
	}
	return commandtest.Outcome{Line: append([]string{"atomlab"}, args...), Code: <-code, Stdout: out.String(),
		Stderr: errs.String()}
}

// TestGolden compares documents of commands with committed files.
func TestGolden(t *testing.T) {
	for name, line := range map[string]string{
		"reproduce-json":          "reproduce gomezluna13 --item section2.1.2 --json",
		"reproduce-elteir11-json": "reproduce elteir11 --item section4 --json",
	} {
		golden.Text(t, filepath.Join("testdata", name+".golden"), done(t, strings.Fields(line)...))
	}
}

// TestEveryFlag: no flag takes an empty value for none, and whatever reads a file says how much of it.
func TestEveryFlag(t *testing.T) {
	commandtest.EveryFlag(t, newRoot(newEnv(nil, nil, nil)), atomlab, 39, 7, 0)
}

// TestWrongUse: what fails names the place, and exits with 2 where a different command line would mend it.
func TestWrongUse(t *testing.T) {
	path, err := filepath.Abs("testdata/wrong.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	exampleRuns(t)
	writeTables(t)
	write(t, "broken.csv", "# device: h200\n")
	write(t, "bad.csv", strings.Replace(benchTable("NVIDIA H200"), ",8,8,8,", ",8,8,x,", 1))
	commandtest.WrongUse(t, path, func(line string) commandtest.Outcome { return atomlab(strings.Fields(line)...) })
	if found, _ := os.ReadDir("no"); len(found) > 0 {
		t.Errorf("a failed run wrote %v", found)
	}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// shorter are lines that take less time than the examples that they stand for, and do the same; the work of those that
// are left out is that of tests of the packages that they call.
var shorter = map[string]string{
	"atomlab validate kernels":                                        "",
	"atomlab reproduce streamhpc":                                     "",
	"atomlab reproduce elteir11 --item figure1,figure8 --out figures": "",
	"atomlab validate scratchpad":                                     "",
	"atomlab reproduce egielski14 --item table1 --scale 0.03 --out figures": "atomlab reproduce egielski14 --item table1 " +
		"--scale 0.0003 --out figures",
}

// TestExamples: every command has an example, and all examples work.
func TestExamples(t *testing.T) {
	t.Chdir(t.TempDir())
	exampleRuns(t)
	writeTables(t)
	write(t, "mine.json", exampleFigures)
	writeInputs(t, "inputs")
	commandtest.Examples(t, newRoot(newEnv(nil, nil, nil)), shorter, func(line string) commandtest.Outcome {
		return atomlab(strings.Fields(line)[1:]...)
	})
}
