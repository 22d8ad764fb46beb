package main

import (
	"io"
	"time"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/probe"
	"github.com/atomtune/atomtune/probe/micro"
	"github.com/atomtune/atomtune/variant"
)

var program = command.Program{
	Name:        "atomprobe",
	WrongUse:    []error{probe.ErrOptions, micro.ErrCase, recordings.ErrOptions, device.ErrType, variant.ErrName, synth.ErrSyntax, synth.ErrFamily, synth.ErrParam},
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
