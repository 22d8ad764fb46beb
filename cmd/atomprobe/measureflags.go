package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/cmd/atomprobe/driver"
	"github.com/atomtune/atomtune/cuda/ptx"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/probe"
	"github.com/atomtune/atomtune/probe/calls"
	"github.com/atomtune/atomtune/probe/micro"
	"github.com/atomtune/atomtune/variant"
)

// measureFlags are the flags that say what is measured.
type measureFlags struct {
	probe.Options
	full, restart   bool
	device          int
	types, impls    []string
	out, cubin, ncu string
}

func (f *measureFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "", "`folder` to write")
	flags.BoolVar(&f.Quick, "quick", false, "measure in less than 30 s")
	flags.BoolVar(&f.full, "full", false, "measure everything")
	flags.BoolVar(&f.restart, "restart", false, "begin anew, whatever the folder holds")
	flags.IntVar(&f.device, "device", 0, "`number` of the GPU, as devices lists it")
	flags.IntVar(&f.Repeats, "repeats", 0, "`times` that each measurement is repeated (0: 5, with "+
		"--quick 3; whole calls by their length 15, 7 or 3, with --quick 9, 5 or 3, and those of "+
		"--companion 9 or 3, with --quick 5 or 3)")
	flags.StringArrayVar(&f.Suites, "suite", nil,
		"run this `suite` alone (repeat for more): "+strings.Join(probe.Suites(), ", "))
	flags.StringArrayVar(&f.types, "type", nil,
		"`type` of the targets in suite calls (repeat for more)")
	flags.IntVar(&f.Drawn, "drawn", 0, "`number` of streams of suite calls to draw from --seed, "+
		"in place of the built-in ones")
	flags.Uint64Var(&f.Seed, "seed", 1, "`seed` of the streams to draw")
	flags.StringVar(&f.Specs, "specs", "",
		"`file` of specifications of streams of suite calls, one a "+
			"line, in place of the built-in ones")
	flags.StringArrayVar(&f.impls, "implementation", nil,
		"`name` of what to measure in suite calls (repeat for more)")
	flags.StringArrayVar(&f.Files, "stream", nil,
		"index stream to measure too, a `file` (repeat for more)")
	flags.StringVar(&f.Companion, "companion", "", "`program` that measures sort and segreduce")
	flags.StringVar(&f.cubin, "cubin", "", "`folder` for the machine code that the driver made of "+
		"each module")
	flags.StringVar(&f.ncu, "ncu", "", "`path` of NVIDIA's profiler (looked up if not given)")
	types := strings.Fields(strings.Trim(fmt.Sprint(device.Types()), "[]"))
	for flag, words := range map[string][]string{"suite": probe.Suites(), "type": types} {
		if err := cmd.RegisterFlagCompletionFunc(flag,
			cobra.FixedCompletions(words, cobra.ShellCompDirectiveDefault)); err != nil {
			panic(err) // the flags were registered above
		}
	}
}

func (f *measureFlags) options() (o probe.Options, err error) {
	o = f.Options
	switch {
	case f.out == "":
		return o, command.Usagef("measuring needs --out, the folder to write")
	case f.Quick && f.full:
		return o, command.Usagef("--quick and --full exclude each other")
	}
	if o.Companion, err = calls.FindCompanion(o.Companion); err != nil {
		return o, err
	}
	if o.Types, err = parsed(f.types, device.ParseType); err != nil {
		return o, err
	}
	if o.Implementations, err = parsed(f.impls, variant.Parse); err != nil {
		return o, err
	}
	if o.Counters, err = f.counters(); err != nil {
		return o, err
	}
	return o, o.Validate()
}

func parsed[T any](names []string, parse func(string) (T, error)) (all []T, err error) {
	for _, name := range names {
		value, err := parse(name)
		if err != nil {
			return nil, err
		}
		all = append(all, value)
	}
	return all, nil
}

// counters lets suite counters run where it was asked for, and otherwise in a full
// run of all suites where the profiler is there.
func (f *measureFlags) counters() (*micro.Counters, error) {
	asked := slices.Contains(f.Suites, "counters") || f.ncu != ""
	if !asked && (f.Quick || len(f.Suites) > 0) {
		return nil, nil
	}
	profiler := cmp.Or(f.ncu, "ncu")
	path, err := exec.LookPath(profiler)
	if err != nil && asked {
		return nil, command.Usagef("suite counters needs NVIDIA's profiler: %q is not found; "+
			"--ncu names it", profiler)
	} else if err != nil {
		return nil, nil
	}
	self, err := os.Executable()
	program := []string{self, "launch", "--device", fmt.Sprint(f.device)}
	return &micro.Counters{Profiler: path, Program: program}, err
}

// open opens the GPU with the embedded modules. code keeps their machine code;
// nil for none.
func (f *measureFlags) open(code *machineCode) (*driver.GPU, error) {
	settings := driver.Settings{Image: ptx.Image, Parameters: ptx.Parameters}
	if code != nil {
		settings.Loaded = code.keep
	}
	l, err := driver.Open()
	if err != nil {
		return nil, err
	}
	return l.Open(f.device, settings)
}
