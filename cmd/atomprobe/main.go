// Command atomprobe measures an NVIDIA GPU: what atomics, warp instructions,
// memories and launches cost, and what every implementation of a stream of
// atomic updates takes. It needs the GPU's driver alone.
//
//	atomprobe devices
//	atomprobe --quick --out run1
//	atomprobe merge --out mine run1 run2
//	atomtune fit --out mine.json mine/*.csv
//
// The kernels are embedded as PTX, which the driver compiles. Results go to a
// folder of files, a summary to standard output, one JSON document with --json,
// and everything else to standard error. The exit code is 0 when done, 1 when
// something failed, 2 for wrong use, 130 when interrupted.
package main

import (
	"io"
	"os"
	"time"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/probe"
	"github.com/atomtune/atomtune/probe/micro"
	"github.com/atomtune/atomtune/variant"
)

func main() { os.Exit(run(os.Stdout, os.Stderr, os.Args[1:])) }

var program = command.Program{
	Name: "atomprobe",
	WrongUse: []error{probe.ErrOptions, micro.ErrCase, recordings.ErrOptions, device.ErrType,
		variant.ErrName, synth.ErrSyntax, synth.ErrFamily, synth.ErrParam},
	Interrupted: probe.ErrInterrupted,
	Topic:       "measure",
}

// env is what the commands see of the world outside.
type env struct{ command.Env }

func newEnv(stdout, stderr io.Writer) *env {
	return &env{command.Env{Program: &program, Stdout: stdout, Stderr: stderr, Now: time.Now}}
}

// run carries out one command line, without the program's name, and returns
// the exit code.
func run(stdout, stderr io.Writer, args []string) int {
	e := newEnv(stdout, stderr)
	return e.Run(newRoot(e), args)
}
