package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/bindings/gpu/libcuda"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/microbench"
	"github.com/atomtune/atomtune/microbench/calls"
	"github.com/atomtune/atomtune/microbench/micro"
)

func newMeasure(e *env) *cobra.Command {
	flags := measureFlags{gpuFlags: &gpuFlags{}}
	cmd := newCommand("measure --out DIR", "Measure a GPU", command.NoArguments,
		func([]string) error { return e.measure(flags) })
	flags.register(cmd)
	return cmd
}

func (e *env) measure(f measureFlags) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	gpu, err := f.open()
	if err != nil {
		return err
	}
	defer gpu.Close() // the process ends anyway
	plan, err := microbench.NewPlan(gpu.Describe(), o)
	if err != nil {
		return err
	}
	start, checkpoint := e.Now(), filepath.Join(f.out, microbench.CheckpointFile)
	bar := report.NewBar(&e.Env, "measuring", 0, report.UnitsDefault)
	tell := func(p microbench.Progress) {
		e.Keeps("%s has %d of %d jobs; the same command resumes", checkpoint, p.Done, p.Total)
		bar.SetOf(int64(p.Done), int64(p.Total))
	}
	outcome, err := plan.Run(e.Context(), gpu, microbench.RunOptions{
		Folder: f.out, Program: program.Built(), Restart: f.restart, Now: e.Now, Progress: tell,
	})
	bar.Stop()
	for _, warning := range outcome.Warnings {
		e.Note("warning: %s", warning)
	}
	if outcome.Folder == "" {
		return err
	}
	return cmp.Or(err, e.report(gpu.Describe(), outcome, e.Now().Sub(start).Seconds()))
}

type measureOutput struct {
	GPU               string `json:"gpu"`
	ComputeCapability string `json:"compute_capability"`
	Driver            string `json:"driver"`
	microbench.Outcome
	ElapsedS float64 `json:"elapsed_s"`
}

func (e *env) report(d driver.Description, o microbench.Outcome, seconds float64) error {
	doc := measureOutput{d.Name, d.Capability(), d.Driver, o, seconds}
	return e.Emit(doc, func(w *bytes.Buffer) {
		report.Fprintf(w, "%s, compute capability %s, driver %s\n", d.Name, d.Capability(), d.Driver)
		report.Fprintf(w, "%d jobs in %.1f s", o.Jobs, seconds)
		if o.Resumed > 0 {
			report.Fprintf(w, ", %d of them from the checkpoint", o.Resumed)
		}
		report.Fprintf(w, ": %d readings, %d scratchpad columns, %d calls on %d streams\n", o.Readings,
			o.Columns, o.Calls, o.Streams)
		if len(o.Files) > 0 {
			fmt.Fprint(w, "wrote")
			for _, name := range o.Files {
				report.Fprintf(w, " %s", filepath.Join(o.Folder, name))
			}
			fmt.Fprintln(w)
		}
	})
}

// gpuFlags say which GPU measures, and what of calls.
type gpuFlags struct {
	calls.Options
	device int
}

func (f *gpuFlags) register(cmd *cobra.Command) {
	flags, types := cmd.Flags(), input.TypeNames()
	flags.IntVar(&f.device, "device", 0, "`number` of the GPU, as devices lists it")
	flags.IntVar(&f.Repeats, "repeats", 0, "how many `times` each measurement is repeated (0: calls by their length 15, 7 or 3, with --quick 9, 5 or 3; those of --companion 9 or 3, with --quick 5 or 3; all others 5, with --quick 3)")
	flags.Var(&names[device.Type]{&f.Types, device.ParseType}, "type",
		"`type` of the targets of calls, several separated by commas: "+input.List(types))
	flags.Var(&names[impl.Spec]{&f.Implementations, impl.Parse}, "implementation",
		"`name` of an implementation to measure in calls, several separated by commas (default: all)")
	command.RegisterClear(flags, &f.Keeps, "calls clear their targets; --clear=false times adding to existing values")
	flags.StringVar(&f.Companion, "companion", "", "`program` that measures sort, segreduce and partition")
	command.CompleteFlag(cmd, "type", types)
}

// names is a flag that adds to a list each time that it is given.
type names[T any] struct {
	list  *[]T
	parse func(string) (T, error)
}

func (n *names[T]) String() string { return strings.Trim(fmt.Sprint(*n.list), "[]") }
func (n *names[T]) Type() string   { return "" }

func (n *names[T]) Set(text string) error {
	for _, name := range impl.Split(text) {
		one, err := n.parse(name)
		if err != nil {
			return err
		}
		*n.list = append(*n.list, one)
	}
	return nil
}

func (f *gpuFlags) open() (*libcuda.GPU, error) {
	l, err := libcuda.Open()
	if err != nil {
		return nil, err
	}
	return l.Open(f.device)
}

type measureFlags struct {
	*gpuFlags
	suites        []string
	full, restart bool
	out, ncu      string
}

func (f *measureFlags) register(cmd *cobra.Command) {
	f.gpuFlags.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "", "`folder` to write")
	flags.BoolVar(&f.Quick, "quick", false, "measure in less than 30 s")
	flags.BoolVar(&f.full, "full", false, "measure everything")
	flags.BoolVar(&f.restart, "restart", false, "start over, whatever the folder contains")
	flags.StringArrayVar(&f.suites, "suite", nil,
		"run only this `suite` (repeat for more): "+strings.Join(microbench.Suites(), ", "))
	flags.IntVar(&f.Drawn, "drawn", 0, "`number` of streams of suite calls to draw from --seed, instead of the built-in ones")
	flags.Uint64Var(&f.Seed, "seed", 1, "`seed` of the streams to draw")
	flags.StringVar(&f.Specs, "specs", "", input.AtMost(wholefile.Most, "`file` of specifications of streams of suite calls, one per line, instead of the built-in ones"))
	flags.BoolVar(&f.Launches, "launches", false, "also measure suite calls with 1 to 8 blocks of 256 to 1,024 "+
		"threads per multiprocessor: the implementations of --implementation, else a few of each kind")
	flags.StringArrayVar(&f.Files, "stream", nil,
		"another index stream to measure, a `file` of at most 2,147,483,647 updates, which take 4 bytes of memory each (repeat for more); a matrix or edge list gives two, its rows and its columns, both sorted by row")
	flags.StringVar(&f.ncu, "ncu", "", "`path` of NVIDIA's profiler (default: searched for)")
	command.CompleteFlag(cmd, "suite", microbench.Suites())
}

func (f *measureFlags) options() (o microbench.Options, err error) {
	o = microbench.Options{Options: f.Options, Suites: f.suites}
	switch {
	case f.out == "":
		return o, command.Usagef("measuring needs --out, the folder to write")
	case f.Quick && f.full:
		return o, command.Usagef("--quick and --full exclude each other")
	}
	if o.Companion, err = calls.FindCompanion(o.Companion); err != nil {
		return o, err
	}
	o.Counters, err = f.counters()
	return o, cmp.Or(err, o.Validate())
}

// counters lets suite counters run where it was asked for, and otherwise in a full
// run of all suites where the profiler is there.
func (f *measureFlags) counters() (*micro.Counters, error) {
	asked := slices.Contains(f.suites, "counters") || f.ncu != ""
	if !asked && (f.Quick || len(f.suites) > 0) {
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
