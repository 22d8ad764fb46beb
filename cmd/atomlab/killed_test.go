package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

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

// TestKilled: an experiment that was killed goes on with the same command, and tells what it tells
// undisturbed.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("simulations take long under the race detector")
	}
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
		Journal: "times.csv",
		Same: func(name, content string) string {
			if name == killed.Stdout {
				return killed.WithoutLines(content, `"elapsed_s":`)
			}
			return content
		},
	}.Check(t)
}
