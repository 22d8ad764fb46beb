package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/golden"
)

// The exit codes.
const (
	exitDone   = command.ExitDone
	exitFailed = command.ExitFailed
	exitUsage  = command.ExitUsage
)

// outcome is what one command line gave.
type outcome struct {
	code           int
	stdout, stderr string
}

// atomlab runs one command line in this process, with a clock that stands still.
func atomlab(args ...string) outcome {
	var stdout, stderr bytes.Buffer
	e := newEnv(strings.NewReader(""), &stdout, &stderr)
	e.Now = func() time.Time { return time.Unix(0, 0) }
	e.start = standInBench
	if os.Getenv("ATOMTUNE_FULL") == "" {
		e.judge = madeUp
	}
	code := e.Run(newRoot(e), args)
	return outcome{code, stdout.String(), stderr.String()}
}

// done runs a command line that must succeed, and returns its output.
func done(t *testing.T, args ...string) string {
	t.Helper()
	got := atomlab(args...)
	if got.code != exitDone || got.stdout == "" {
		t.Fatalf("atomlab %s: exit code %d, %s", strings.Join(args, " "), got.code, got.stderr)
	}
	return got.stdout
}

// failed runs a command line that must fail with the code, one line on standard
// error that holds the word, and nothing on standard output.
func failed(t *testing.T, code int, line, word string) (stderr string) {
	t.Helper()
	got := atomlab(strings.Fields(line)...)
	if got.code != code || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 ||
		!strings.HasPrefix(got.stderr, "atomlab: ") || !strings.Contains(got.stderr, word) ||
		strings.Contains(got.stderr, "%!") {
		t.Errorf("%s: exit code %d, want %d and %q; standard output %q, standard error %q", line,
			got.code, code, word, got.stdout, got.stderr)
	}
	return got.stderr
}

// testdata is absolute, since tests change the working directory.
var testdata = func() string {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		panic(err)
	}
	return dir
}()

// TestGolden compares what the commands print with committed files.
func TestGolden(t *testing.T) {
	for _, l := range []struct{ name, line string }{
		{"reproduce", "reproduce gomezluna13 --item section2.1.2"},
		{"reproduce-json", "reproduce gomezluna13 --item section2.1.2 --json"},
		{"reproduce-elteir11", "reproduce elteir11 --item section4,accesses"},
		{"reproduce-elteir11-json", "reproduce elteir11 --item section4 --json"},
		{"reproduce-streamhpc", "reproduce streamhpc --item listings"},
		{"help", "help"},
		{"help-archive", "help archive"},
		{"help-bench", "help bench"},
		{"help-estimate", "help estimate"},
		{"help-reproduce", "help reproduce"},
		{"help-validate", "help validate"},
	} {
		golden.Text(t, filepath.Join(testdata, l.name+".golden"), done(t, strings.Fields(l.line)...))
	}
}

// TestWrongUse: what a different command line would mend is exit code 2, with the lines of
// testdata/wrong.txt.
func TestWrongUse(t *testing.T) {
	var said []string
	for _, l := range []struct{ line, word string }{
		{"", "no command"},
		{"analyze indices.npy", "analyze"},
		{"help nothing", "nothing"},
		{"reproduce", "gomezluna13"},
		{"reproduce westphal", "gomezluna13"},
		{"reproduce gomezluna13 --item figure1", "figure1"},
		{"reproduce gomezluna13 --patterns -1", "-1"},
		{"reproduce gomezluna13 --item figure5 --patterns 7", "20000"},
		{"validate tuner kernels", "kernels"},
		{"reproduce elteir11 --item figure2", "figure2"},
		{"reproduce elteir11 --patterns 20000", "20000"},
		{"reproduce elteir11 image.png", "image.png"},
		{"reproduce streamhpc --objects 7", "7"},
		{"reproduce streamhpc --scale 3", "3"},
		{"reproduce egielski14 --scale -3", "-3"},
		{"reproduce egielski14 --patterns 20000", "20000"},
		{"validate", "scratchpad"},
		{"validate abacus", "scratchpad"},
		{"validate scratchpad --random -1", "-1"},
		{"validate scratchpad --table few.csv", "--table"},
		{"validate kernels --random 5", "--random"},
		{"validate kernels --streams 5", "--simulate"},
		{"validate kernels --simulate few.csv --streams -1", "-1"},
		{"validate kernels --simulate few.csv --workers -2", "-2"},
		{"validate kernels --simulate few.csv --table few.csv", "--table"},
		{"validate kernels --speed --figure calls", "--figure"},
		{"validate kernels --worst", "--worst"},
		{"validate locks --seed 3", "--seed"},
		{"validate tuner --random 5", "--random"},
		{"validate tuner --speed --journal sweep.jsonl", "--journal"},
	} {
		said = append(said, l.line, "\t"+strings.TrimSpace(failed(t, exitUsage, l.line, l.word)))
		failed(t, exitUsage, l.line+" --json", l.word)
	}
	golden.Compare(t, filepath.Join(testdata, "wrong.txt"), said)
}

// longExamples are examples that simulate or measure for long: tests of the packages that they
// call do the same work. They run with ATOMTUNE_FULL=1.
var longExamples = []string{"bench speed", "reproduce egielski14", "validate guarantee", "validate scratchpad"}

// TestExamples runs every line of every command's examples but longExamples.
func TestExamples(t *testing.T) {
	t.Chdir(t.TempDir())
	exampleRuns(t)
	writeTables(t)
	writeFigures(t)
	lines := 0
	for _, cmd := range newRoot(newEnv(nil, nil, nil)).Commands() {
		for line := range strings.Lines(cmd.Example) {
			args := strings.Fields(line)
			if args[0] != "atomlab" || args[1] != cmd.Name() {
				t.Errorf("example %q of %s", line, cmd.Name())
				continue
			}
			lines++
			if slices.Contains(longExamples, strings.Join(args[1:min(3, len(args))], " ")) &&
				os.Getenv("ATOMTUNE_FULL") == "" {
				continue
			}
			if slow := cmd.Name() == "validate" || cmd.Name() == "reproduce"; !slow || !testing.Short() {
				done(t, args[1:]...)
			}
		}
		if text := done(t, cmd.Name(), "--help"); !strings.Contains(unfilled(text), unfilled(cmd.Long)) ||
			!strings.Contains(text, "Examples:") {
			t.Errorf("help of %s lacks its text or its examples:\n%s", cmd.Name(), text)
		}
	}
	if lines < 16 {
		t.Errorf("ran %d lines", lines)
	}
	if names := command.Names(newRoot(newEnv(nil, nil, nil))); !slices.Contains(names, "reproduce") ||
		!slices.Contains(names, "validate") || !slices.Contains(names, "archive") {
		t.Errorf("the commands are %v", names)
	}
}

// unfilled is a text without its line breaks, which differ with the width.
func unfilled(text string) string { return strings.Join(strings.Fields(text), " ") }
