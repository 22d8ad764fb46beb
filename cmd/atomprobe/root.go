package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/internal/command"
)

const rootLong = `atomprobe measures an NVIDIA GPU with nothing but its driver: what atomics, warp
instructions, memories and launches cost, and what every implementation of a
stream of atomic updates takes. atomtune fit makes a device profile of the
result.

With --quick or --full and --out it measures; measure --help lists the flags.
It reads clocks, but never changes one, nor any setting of the GPU.

A summary goes to standard output, one JSON document with --json; progress and
errors go to standard error. The exit code is 0 when done, 1 when something
failed, 2 for wrong use, 130 when interrupted.`

// newRoot returns the whole tree of commands. Without a command, the program
// measures.
func newRoot(e *env) *cobra.Command {
	var flags measureFlags
	root := &cobra.Command{
		Use:     "atomprobe COMMAND [flags]",
		Short:   "Measure an NVIDIA GPU through its driver",
		Long:    rootLong,
		Example: "  atomprobe --quick --out run\n  atomprobe --full --out run",
		Args:    cobra.ArbitraryArgs,
	}
	flags.register(root)
	root.AddCommand(newDevices(e), newMeasure(e), newKernels(e), newMerge(e), newLaunch(e))
	root.RunE = command.Action(func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return command.Usagef("there is no command %q (there are %s)", args[0],
				strings.Join(command.Names(cmd), ", "))
		}
		if !flags.Quick && !flags.full {
			return command.Usagef("no command given (there are %s), and neither --quick nor --full",
				strings.Join(command.Names(cmd), ", "))
		}
		return e.measure(cmd.Context(), flags)
	})
	e.Equip(root)
	return root
}
