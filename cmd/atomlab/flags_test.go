package main

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/internal/command/commandtest"
)

// TestEveryFlag: no flag takes an empty value for none, and whatever reads a file says how much of it.
func TestEveryFlag(t *testing.T) {
	build := func(stderr io.Writer) (*cobra.Command, func([]string) int) {
		e := newEnv(strings.NewReader(""), io.Discard, stderr)
		root := newRoot(e)
		return root, func(args []string) int { return e.Run(root, args) }
	}
	if n := commandtest.Empty(t, build); n < 50 {
		t.Errorf("%d flags", n)
	}
	root, _ := build(io.Discard)
	if flags, _ := commandtest.Limits(t, root); flags < 9 {
		t.Errorf("%d flags", flags)
	}
}
