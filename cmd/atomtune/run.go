package main

import (
	"bytes"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/fit"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/latency"
	"github.com/atomtune/atomtune/reproduce"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

var program = command.Program{
	Name: "atomtune",
	WrongUse: []error{
		device.ErrUnknown, device.ErrType, variant.ErrName,
		datasets.ErrOptions, collision.ErrOptions, model.ErrOptions, model.ErrSweep,
		synth.ErrSyntax, synth.ErrFamily, synth.ErrParam, fit.ErrOptions, latency.ErrParams, reproduce.ErrOptions,
	},
	Interrupted: errInterrupted,
	Words:       inWords,
	Topic:       "choose",
}

// env is what the commands see of the world outside.
type env struct{ command.Env }

func newEnv(stdin io.Reader, stdout, stderr io.Writer) *env {
	return &env{command.Env{Program: &program, Stdin: stdin, Stdout: stdout, Stderr: stderr, Now: time.Now}}
}

// run carries out one command line, without the program's name, and returns
// the exit code.
func run(stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	return newEnv(stdin, stdout, stderr).run(args)
}

func (e *env) run(args []string) int { return e.Run(newRoot(e), args) }

// Short names of what every command uses.

func (e *env) emit(document any, text func(w *bytes.Buffer)) error { return e.Emit(document, text) }

func usagef(format string, args ...any) error { return command.Usagef(format, args...) }

func action(do func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return command.Action(do)
}
