package main

import (
	"io"
	"time"

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
