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
	"bytes"
	"embed"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/bindings/cuda/emit"
	"github.com/atomtune/atomtune/calibration"
	"github.com/atomtune/atomtune/cmd/atomtune/internal/page"
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/latency"
	"github.com/atomtune/atomtune/tables"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/dispatch/source"
	"github.com/atomtune/atomtune/tuner/model"
)

func main() {
	e := newEnv(os.Stdin, os.Stdout, os.Stderr)
	e.Main(newRoot(e))
}

//go:embed help
var helpTexts embed.FS

// newCommand returns a command that lacks what it does.
func newCommand(use string, args cobra.PositionalArgs, verbs ...any) *cobra.Command {
	return explain(&cobra.Command{Use: use, Args: args}, verbs...)
}

// explain gives a command the text of its file in help.
func explain(cmd *cobra.Command, verbs ...any) *cobra.Command {
	command.Explain(cmd, helpTexts, verbs...)
	cmd.Short, cmd.Long, _ = strings.Cut(cmd.Long, "\n\n")
	return cmd
}

func newRoot(e *env) *cobra.Command {
	root := newCommand("atomtune COMMAND [flags] [FILE...]", nil)
	choose := newChoose(e)
	root.AddCommand(
		explain(command.Topic("streams", choose, "batch csr quantize channel max-gap max-bytes"), input.Families()),
		explain(command.Topic("ranking", choose, "search-launch relaid")),
		explain(command.Topic("sampling", choose, "exact sample-from sample seed sampling-cost sampling-most workers")),
		newAnalyze(e), choose, explain(page.New(e), input.DefaultStream), newSimulate(e), newLatency(e),
		newOptimize(e), newFit(e),
		newPatterns(e), newEmit(e), newTrain(e), newTables(e), newExport(e), newDevices(e),
	)
	e.Equip(root)
	return root
}

// publish prints a text for other programs, or writes it to a file and prints what is to be said of that.
func publish(e *env, file string, text []byte, doc any, said func(w *bytes.Buffer)) error {
	if file == "" {
		return e.EmitExact(doc, func(w *bytes.Buffer) { w.Write(text) })
	}
	if err := wholefile.Write(file, text); err != nil {
		return err
	}
	return e.Emit(doc, said)
}

var program = command.Program{
	Name: "atomtune",
	WrongUse: []error{
		device.ErrUnknown, device.ErrType, impl.ErrName,
		datasets.ErrOptions, input.ErrIgnored, collision.ErrOptions, model.ErrOptions, model.ErrSweep,
		synth.ErrSyntax, synth.ErrFamily, synth.ErrParam, calibration.ErrOptions, latency.ErrParams,
		tables.ErrOptions, dispatch.ErrNoTree, source.ErrTarget, emit.ErrNone, device.ErrCall,
	},
	Topic: "choose",
}

type env = command.Env

func newEnv(stdin io.Reader, stdout, stderr io.Writer) *env {
	return &env{Program: &program, Stdin: stdin, Stdout: stdout, Stderr: stderr, Now: time.Now}
}
