package main

import (
	"strings"

	"github.com/spf13/cobra"
)

const rootLong = `atomtune says which implementation of a stream of atomic updates is fastest on
a GPU, by how much, and why.

An index stream lists the targets of all updates of a kernel in lane order:
lane i of warp w performs update 32*w + i. FILE is such a stream (npy, raw
u32 or u64, text, csv, Matrix Market, edge list, image; gzip is read through),
and - is standard input. A name such as synth:zipf:n=65536,k=1024,s=1.1 is a
stream made on the spot; choose --help lists the families.

Results go to standard output, one JSON document with --json, warnings about an
answer among them; progress and errors go to standard error. The exit code is 0
when done, 1 when something failed, 2 for wrong use.`

// newRoot returns the whole tree of commands.
func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:               "atomtune COMMAND [flags] [FILE...]",
		Short:             "Choose the fastest implementation of atomic updates on a GPU",
		Long:              rootLong,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetIn(e.stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	root.PersistentFlags().BoolVar(&e.json, "json", false, "print one JSON document")
	root.AddCommand(
		newAnalyze(e), newChoose(e), newSimulate(e), newLatency(e), newOptimize(e), newFit(e), newPatterns(e),
		newReproduce(e), newValidate(e), newTrain(e), newDevices(e),
		newVersion(e), newCompletion(e, root),
	)
	root.RunE = action(func(cmd *cobra.Command, _ []string) error {
		return usagef("no command given (there are %s)", strings.Join(commandNames(cmd), ", "))
	})
	setHelp(e, root)
	return root
}

// commandNames lists the commands that help shows.
func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// noArguments refuses arguments where a command takes none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no argument, but got %q", cmd.Name(), args[0])
	}
	return nil
}
