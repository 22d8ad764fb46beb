// Command atomlab is the laboratory of atomtune: it recomputes the experiments of
// published papers, and holds closed forms, simulator, models and choices
// against each other and against recordings of real GPUs.
//
//	atomlab reproduce gomezluna13 --item figure5 --out figures
//	atomlab validate scratchpad
package main

import (
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/validate/choices"
	"github.com/atomtune/atomtune/tuner/model"
)

func main() {
	e := newEnv(os.Stdin, os.Stdout, os.Stderr)
	e.Main(newRoot(e))
}

var program = command.Program{
	Name: "atomlab",
	WrongUse: []error{
		device.ErrUnknown, datasets.ErrOptions, model.ErrOptions, model.ErrSweep,
		synth.ErrSyntax, synth.ErrFamily, synth.ErrParam, papers.ErrOptions, archive.ErrAdd,
	},
	Topic: "validate",
}

// env is what the commands see of the world outside.
type env struct {
	command.Env
	judge func(choices.TunerOptions) (choices.TunerReport, error) // validate tuner
}

func newEnv(stdin io.Reader, stdout, stderr io.Writer) *env {
	return &env{command.Env{
		Program: &program, Stdin: stdin, Stdout: stdout, Stderr: stderr, Now: time.Now,
	}, choices.Tuner}
}

const rootLong = `atomlab is the laboratory of atomtune. It recomputes the experiments of
published papers, compares closed forms, simulator, models and choices with each
other and with recordings of real GPUs, and maintains these recordings.

Results go to standard output, as one JSON document with --json. Progress and
errors go to standard error. The exit code is 0 for success, 1 for a failure, 2
for wrong use and 130 after an interrupt; a message then says what was saved.`

// newRoot returns the whole tree of commands.
func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:   "atomlab COMMAND [flags]",
		Short: "Recompute papers, and check predictions and choices against recordings",
		Long:  rootLong,
	}
	root.AddCommand(newArchive(e), newBench(e), newEstimate(e), newReproduce(e), newValidate(e))
	e.Equip(root)
	return root
}
