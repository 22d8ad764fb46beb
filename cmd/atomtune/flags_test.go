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

// TestEmptyFlags: no flag takes an empty value for none.
func TestEmptyFlags(t *testing.T) {
	if n := commandtest.Empty(t, build); n < 150 {
		t.Errorf("%d flags", n)
	}
	for _, line := range [][]string{{"analyze", ""}, {"choose", "", "a.u32"}, {"fit", ""}} {
		var stderr strings.Builder
		_, run := build(&stderr)
		if code := run(line); code != 2 || !strings.Contains(stderr.String(), "an argument is empty") {
			t.Errorf("%q: exit code %d, %s", line, code, stderr.String())
		}
	}
}

// TestLimits: whatever reads a file says how much of it.
func TestLimits(t *testing.T) {
	root, _ := build(io.Discard)
	if flags, commands := commandtest.Limits(t, root, "atomtune train"); flags < 15 || commands < 7 {
		t.Errorf("%d flags, %d commands", flags, commands)
	}
}
