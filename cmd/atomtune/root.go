package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/internal/command"
)

var rootLong = `atomtune says which implementation of a stream of atomic updates is fastest on
a GPU, by how much, and why.

An index stream lists the targets of all updates of a kernel in lane order:
lane i of warp w performs update 32*w + i. FILE is such a stream, which gzip may
have packed, and - is standard input. It has one of the formats
` + strings.Join(datasets.FormatTitles(), ", ") + `.
A name such as synth:zipf:n=65536,k=1024,s=1.1 is a stream made on the spot;
choose --help lists the families.

Results go to standard output, one JSON document with --json, warnings about an
answer among them; progress and errors go to standard error. The exit code is 0
when done, 1 when something failed, 2 for wrong use, 130 when train was
interrupted.`

// newRoot returns the whole tree of commands.
func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:   "atomtune COMMAND [flags] [FILE...]",
		Short: "Choose the fastest implementation of atomic updates on a GPU",
		Long:  rootLong,
	}
	root.AddCommand(
		newAnalyze(e), newChoose(e), newSimulate(e), newLatency(e), newOptimize(e), newFit(e), newPatterns(e),
		newTrain(e), newTables(e), newDevices(e),
	)
	root.RunE = command.Action(func(cmd *cobra.Command, _ []string) error {
		return command.Usagef("no command given (there are %s)", strings.Join(command.Names(cmd), ", "))
	})
	e.Equip(root)
	return root
}
