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
	"embed"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/cuda/emit"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/fit"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/latency"
	"github.com/atomtune/atomtune/rows"
	"github.com/atomtune/atomtune/tables"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/dispatch/source"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

func main() {
	e := newEnv(os.Stdin, os.Stdout, os.Stderr)
	e.Main(newRoot(e))
}

//go:embed help
var helpTexts embed.FS

// explain gives a command the text and the examples of its file in help; the arguments are
// those of the text's verbs.
func explain(cmd *cobra.Command, arguments ...any) {
	data, err := helpTexts.ReadFile("help/" + cmd.Name() + ".txt")
	if err != nil {
		panic(err)
	}
	long, examples, _ := strings.Cut(string(data), "\n\nExamples:\n")
	if cmd.Long = strings.TrimSpace(long); len(arguments) > 0 {
		cmd.Long = fmt.Sprintf(cmd.Long, arguments...)
	}
	cmd.Example = strings.TrimSuffix(examples, "\n")
}

// newRoot returns the whole tree of commands.
func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:   "atomtune COMMAND [flags] [FILE...]",
		Short: "Choose the fastest implementation of atomic updates on a GPU",
	}
	explain(root, input.List(input.Formats()[1:]))
	root.AddCommand(
		newAnalyze(e), newChoose(e), newReport(e), newSimulate(e), newLatency(e), newOptimize(e), newFit(e),
		newPatterns(e), newEmit(e), newTrain(e), newTables(e), newExport(e), newDevices(e),
	)
	e.Equip(root)
	return root
}

var program = command.Program{
	Name: "atomtune",
	WrongUse: []error{
		device.ErrUnknown, device.ErrType, variant.ErrName,
		datasets.ErrOptions, input.ErrIgnored, collision.ErrOptions, model.ErrOptions, model.ErrSweep,
		synth.ErrSyntax, synth.ErrFamily, synth.ErrParam, fit.ErrOptions, latency.ErrParams,
		tables.ErrOptions, dispatch.ErrNoTree, source.ErrTarget, emit.ErrNone, rows.ErrCall,
	},
	Topic: "choose",
}

type env = command.Env

func newEnv(stdin io.Reader, stdout, stderr io.Writer) *env {
	return &env{Program: &program, Stdin: stdin, Stdout: stdout, Stderr: stderr, Now: time.Now}
}
