package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/killed"
	"github.com/atomtune/atomtune/microbench"
)

// TestKilled: a run that was killed again and again goes on with the same command, and leaves what
// it leaves undisturbed, but for dates.
func TestKilled(t *testing.T) {
	golden.OnlyFull(t)
	killed.Command{
		Make: func(folder string) *exec.Cmd {
			command := onStandin(append(steady, "--out", "run", "--json")...)
			command.folder = folder
			return command.command()
		},
		Checkpoint: "run/" + microbench.CheckpointFile,
		Same: func(name, content string) string {
			switch {
			case name == "run/"+microbench.CheckpointFile: // jobs are in the plan's order
				_, jobs, _ := strings.Cut(content, "\n") // behind the head with the date
				return jobs
			case name == killed.Stdout:
				return killed.WithoutLines(content, `"elapsed_s":`, `"resumed":`)
			}
			return killed.WithoutLines(content, "# start: ")
		},
	}.Check(t)
}
