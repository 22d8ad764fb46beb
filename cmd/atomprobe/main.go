// Command atomprobe measures an NVIDIA GPU through its driver, which compiles the embedded kernels:
//
//	atomprobe devices
//	atomprobe --quick --out run1
//	atomprobe merge --out mine run1 run2
//	atomtune fit --out mine.json mine/*.csv
package main

import (
	"embed"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/microbench"
	"github.com/atomtune/atomtune/microbench/micro"
)

func main() {
	e := newEnv(os.Stdin, os.Stdout, os.Stderr)
	e.Main(newRoot(e))
}

var program = command.Program{
	Name: "atomprobe",
	WrongUse: []error{microbench.ErrOptions, micro.ErrCase, recordings.ErrOptions, datasets.ErrOptions,
		device.ErrUnknown, device.ErrType, impl.ErrName, synth.ErrSyntax, synth.ErrFamily, synth.ErrParam},
	Topic: "measure",
}

// env is what the commands see of the world outside.
type env struct{ command.Env }

func newEnv(stdin io.Reader, stdout, stderr io.Writer) *env {
	return &env{command.Env{Program: &program, Stdin: stdin, Stdout: stdout, Stderr: stderr,
		Now: time.Now}}
}

//go:embed help
var helpTexts embed.FS

// newCommand returns a command with its help, of which arguments are those of the text's verbs.
func newCommand(use, short string, args cobra.PositionalArgs, run func(args []string) error,
	arguments ...any) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: args,
		RunE: command.Action(func(_ *cobra.Command, args []string) error { return run(args) })}
	command.Explain(cmd, helpTexts, arguments...)
	return cmd
}

// newRoot returns the whole tree of commands. Without a command, the program measures.
func newRoot(e *env) *cobra.Command {
	common := &gpuFlags{}
	flags := measureFlags{gpuFlags: common}
	timing := newTime(e, common)
	var root *cobra.Command
	root = newCommand("atomprobe COMMAND [flags]", "Measure an NVIDIA GPU through its driver", cobra.ArbitraryArgs,
		func(args []string) error { return e.root(root, timing, &flags, args) })
	flags.register(root)
	registerTime(root, timing)
	root.Flags().Lookup("stream").Usage = "index stream to time, a `file`; with --quick or --full one " +
		"to measure too (repeat for more)"
	root.AddCommand(
		newTime(e, &gpuFlags{}),
		newCommand("devices", "List the GPUs that the driver finds", command.NoArguments, e.listDevices),
		newMeasure(e),
		newCommand("kernels", "List the embedded kernels and their instructions", command.NoArguments, e.listKernels),
		newMerge(e), newLaunch(e), newStreams(e),
	)
	e.Equip(root)
	return root
}

// root measures or times without a command.
func (e *env) root(root, timing *cobra.Command, flags *measureFlags, args []string) error {
	names := strings.Join(command.Names(root), ", ")
	switch quickOrFull := flags.Quick || flags.full; {
	case len(args) > 0:
		return command.Usagef("unknown command %q (want one of %s)", args[0], names)
	case !quickOrFull && flags.out == "" && len(flags.Files) > 0:
		return timeStreams(root, timing, flags.Files)
	case !quickOrFull:
		return command.Usagef("no command given (want one of %s), and neither --stream nor --quick nor --full", names)
	}
	for _, name := range ownFlags(root, timing) {
		if root.Flags().Changed(name) {
			return command.Usagef("--%s needs --stream, and cannot be used with --quick or --full", name)
		}
	}
	return e.measure(*flags)
}
