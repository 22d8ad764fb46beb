// Command atomtune says which implementation of a stream of atomic updates is
// fastest on a GPU, by how much, and why.
//
//	atomtune choose indices.npy
//	atomtune simulate --impl private:r=8,pad=1 indices.npy
//
// It does no arithmetic of its own. Streams, results and exit codes are described by
// "atomtune help".
package main

import (
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/fit"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/latency"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

func main() {
	e := newEnv(os.Stdin, os.Stdout, os.Stderr)
	os.Exit(e.Run(newRoot(e), os.Args[1:]))
}

var rootLong = `atomtune says which implementation of a stream of atomic updates is fastest on
a GPU, by how much, and why.

An index stream lists the targets of all updates of a kernel in lane order:
lane i of warp w performs update 32*w + i. FILE is such a stream, which gzip may
have packed, and - is standard input. It has one of the formats
` + strings.Join(datasets.Formats()[1:], ", ") + `.
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
		newAnalyze(e), newChoose(e), newSimulate(e), newLatency(e), newOptimize(e), newFit(e),
		newPatterns(e), newTrain(e), newTables(e), newDevices(e),
	)
	e.Equip(root)
	return root
}

var program = command.Program{
	Name: "atomtune",
	WrongUse: []error{
		device.ErrUnknown, device.ErrType, variant.ErrName,
		datasets.ErrOptions, collision.ErrOptions, model.ErrOptions, model.ErrSweep,
		synth.ErrSyntax, synth.ErrFamily, synth.ErrParam, fit.ErrOptions, latency.ErrParams,
	},
	Interrupted: errInterrupted,
	Topic:       "choose",
}

type env = command.Env

func newEnv(stdin io.Reader, stdout, stderr io.Writer) *env {
	return &env{Program: &program, Stdin: stdin, Stdout: stdout, Stderr: stderr, Now: time.Now}
}
