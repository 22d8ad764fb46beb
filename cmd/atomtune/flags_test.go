package main

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/internal/command/commandtest"
)

func build(stderr io.Writer) (*cobra.Command, func([]string) int) {
	e := newEnv(strings.NewReader(""), io.Discard, stderr)
	root := newRoot(e)
	return root, func(args []string) int { return e.Run(root, args) }
}

// TestEveryFlag: no flag takes an empty value for none, and whatever reads a file says how much of it.
func TestEveryFlag(t *testing.T) {
	commandtest.EveryFlag(t, build, 150, 15, 7, "atomtune train")
}

// TestEmptyArguments: no argument that is empty is taken for none.
func TestEmptyArguments(t *testing.T) {
	for _, line := range [][]string{{"analyze", ""}, {"choose", "", "a.u32"}, {"fit", ""}} {
		var stderr strings.Builder
		_, run := build(&stderr)
		if code := run(line); code != 2 || !strings.Contains(stderr.String(), "an argument is empty") {
			t.Errorf("%q: exit code %d, %s", line, code, stderr.String())
		}
	}
}
