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
	commandtest.EveryFlag(t, build, 50, 9, 0)
}
