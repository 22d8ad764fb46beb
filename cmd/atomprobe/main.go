// Command atomprobe measures an NVIDIA GPU through its driver, which compiles the embedded kernels:
//
//	atomprobe devices
//	atomprobe --quick --out run1
//	atomprobe merge --out mine run1 run2
//	atomtune fit --out mine.json mine/*.csv
package main

import (
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/probe"
	"github.com/atomtune/atomtune/probe/micro"
	"github.com/atomtune/atomtune/variant"
)

func main() {
	e := newEnv(os.Stdin, os.Stdout, os.Stderr)
	e.Main(newRoot(e))
}

var program = command.Program{
	Name: "atomprobe",
	WrongUse: []error{probe.ErrOptions, micro.ErrCase, recordings.ErrOptions, datasets.ErrOptions,
		device.ErrUnknown, device.ErrType, variant.ErrName, synth.ErrSyntax, synth.ErrFamily, synth.ErrParam},
	Topic: "measure",
}

// env is what the commands see of the world outside.
type env struct{ command.Env }

func newEnv(stdin io.Reader, stdout, stderr io.Writer) *env {
	return &env{command.Env{Program: &program, Stdin: stdin, Stdout: stdout, Stderr: stderr,
		Now: time.Now}}
}

const rootLong = `atomprobe measures an NVIDIA GPU with nothing but its driver: what atomics, warp
instructions, memories and launches cost, and what every implementation of a
stream of atomic updates takes. atomtune fit makes a device profile of the
result.

With --stream FILE alone it times every implementation and launch on that stream,
now; time --help lists the flags. With --quick or --full and --out it measures what a
profile is made of; measure --help lists the flags. It reads clocks, but never changes
one, nor any setting of the GPU.

A summary goes to standard output, one JSON document with --json; progress and
errors go to standard error. The exit code is 0 when done, 1 when something
failed, 2 for wrong use, 130 when interrupted: a line then says what is kept.`

// newRoot returns the whole tree of commands. Without a command, the program measures.
func newRoot(e *env) *cobra.Command {
	var flags measureFlags
	root := &cobra.Command{
		Use:     "atomprobe COMMAND [flags]",
		Short:   "Measure an NVIDIA GPU through its driver",
		Long:    rootLong,
		Example: "  atomprobe --stream indices.txt\n  atomprobe --quick --out run\n  atomprobe --full --out full",
		Args:    cobra.ArbitraryArgs,
	}
	flags.register(root)
	timing := newTime(e)
	registerTime(root, timing)
	root.Flags().Lookup("stream").Usage = "index stream to time, a `file`; with --quick or --full one " +
		"to measure too (repeat for more)"
	root.AddCommand(
		timing,
		newList("devices", "List the GPUs that the driver finds", devicesLong, e.listDevices),
		newMeasure(e),
		newList("kernels", "List the embedded kernels and their instructions", kernelsLong,
			e.listKernels),
		newMerge(e), newLaunch(e), newStreams(e),
	)
	root.RunE = command.Action(func(cmd *cobra.Command, args []string) error {
		names := strings.Join(command.Names(cmd), ", ")
		if len(args) > 0 {
			return command.Usagef("there is no command %q (there are %s)", args[0], names)
		}
		if !flags.Quick && !flags.full && flags.out == "" && len(flags.Files) > 0 {
			return timeStreams(cmd, timing, flags.Files)
		}
		if !flags.Quick && !flags.full {
			return command.Usagef("no command given (there are %s), and neither --stream nor --quick nor "+
				"--full", names)
		}
		for _, name := range ownFlags(cmd, timing) {
			if cmd.Flags().Changed(name) {
				return command.Usagef("--%s goes with --stream alone, and not with --quick or --full", name)
			}
		}
		return e.measure(flags)
	})
	e.Equip(root)
	return root
}
