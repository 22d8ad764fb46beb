package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/killed"
)

// asCommand makes this test binary behave as the command.
const asCommand = "ATOMLAB_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestSignals: validate ends when it is interrupted, and its line promises nothing where it keeps nothing.
func TestSignals(t *testing.T) {
	golden.OnlyFull(t)
	for _, line := range []string{"validate guarantee", "validate scratchpad --random 1"} {
		got := interrupted(t, line, "")
		if got.Failed(t, 130); strings.Contains(got.Stderr, "journal") {
			t.Errorf("%s: %s", line, got.Stderr)
		}
	}
}

// TestKilled: an experiment that was killed goes on with the same command, and tells what it tells
// undisturbed.
func TestKilled(t *testing.T) {
	golden.OnlyFull(t)
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	killed.Command{
		Make: func(folder string) *exec.Cmd {
			command := exec.Command(path, strings.Fields("reproduce egielski14 --item table3 "+
				"--scale 0.001 --journal times.csv --json")...)
			command.Dir, command.Env = folder, append(os.Environ(), asCommand+"=1")
			return command
		},
		Checkpoint: "times.csv",
		Same: func(name, content string) string {
			if name == killed.Stdout {
				return killed.WithoutLines(content, `"elapsed_s":`)
			}
			return content
		},
	}.Check(t)
}
