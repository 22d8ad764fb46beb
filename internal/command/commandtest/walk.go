// Package commandtest holds the tests that all commands of a program pass.
package commandtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// EveryFlag is Empty and Limits, which find so many flags, flags of files and commands at least.
func EveryFlag(t *testing.T, root *cobra.Command, run func(args ...string) Outcome, flags, files, commands int,
	unlimited ...string) {
	t.Helper()
	if n := Empty(t, root, run); n < flags {
		t.Errorf("%d flags, want %d", n, flags)
	}
	if f, c := Limits(t, root, unlimited...); f < files || c < commands {
		t.Errorf("%d flags of files and %d commands, want %d and %d", f, c, files, commands)
	}
}

// Empty tests that each flag of each command refuses an empty value as wrong use and is named, and so that each
// command refuses an empty argument. It returns how many flags it tried.
func Empty(t *testing.T, root *cobra.Command, run func(args ...string) Outcome) (tried int) {
	t.Helper()
	each(root, func(cmd *cobra.Command, f *pflag.Flag) {
		path := strings.Fields(cmd.CommandPath())[1:]
		run(append(path, "--"+f.Name+"=")...).Failed(t, 2, "--"+f.Name)
		tried++
	})
	walk(root, func(cmd *cobra.Command) {
		run(append(strings.Fields(cmd.CommandPath())[1:], "")...).Failed(t, 2, cmd.Name())
	})
	return tried
}

// Limits tests that the help of each flag which names a file to read says how large that may be, and
// that commands with a FILE, but those that unlimited names, have --max-bytes. It returns how many of
// both it found.
func Limits(t *testing.T, root *cobra.Command, unlimited ...string) (flags, commands int) {
	t.Helper()
	each(root, func(cmd *cobra.Command, f *pflag.Flag) {
		name, usage := pflag.UnquoteUsage(f)
		reads := name == "file" || name == "journal" || name == "table" || strings.Contains(usage, "profile file") ||
			strings.Contains(usage, "its file")
		if !reads || strings.Contains(usage, "to write") || strings.Contains(usage, "to this file") {
			return
		}
		flags++
		if !strings.Contains(usage, " at most") && cmd.Flags().Lookup("max-bytes") == nil {
			t.Errorf("%s: --%s states no limit: %s", cmd.CommandPath(), f.Name, usage)
		}
	})
	walk(root, func(cmd *cobra.Command) {
		if !strings.Contains(cmd.UseLine(), "FILE") || slices.Contains(unlimited, cmd.CommandPath()) {
			return
		}
		commands++
		if cmd.Flags().Lookup("max-bytes") == nil {
			t.Errorf("%s reads a FILE without --max-bytes", cmd.CommandPath())
		}
	})
	return flags, commands
}

// each visits the flags of all commands.
func each(root *cobra.Command, visit func(*cobra.Command, *pflag.Flag)) {
	walk(root, func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { visit(cmd, f) })
	})
}

// walk visits the commands below one, without topics of the help.
func walk(root *cobra.Command, visit func(*cobra.Command)) {
	for _, cmd := range root.Commands() {
		if cmd.Runnable() {
			visit(cmd)
		}
		walk(cmd, visit)
	}
}
