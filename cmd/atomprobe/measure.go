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

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/gpu/driver"
	"github.com/atomtune/atomtune/gpu/libcuda"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/probe"
	"github.com/atomtune/atomtune/probe/calls"
	"github.com/atomtune/atomtune/probe/micro"
	"github.com/atomtune/atomtune/variant"
)

const measureLong = `measure runs the suites on one GPU and writes a folder: readings.csv (single
quantities), scratchpad.csv (one warp's access patterns of shared memory),
calls.csv.gz (whole calls of every implementation) and streams.jsonl.gz (the
streams of these calls). Every table begins with what it was measured with.

--quick takes less than 30 s; --full, which holds unless --quick is given,
measures more streams, patterns and conflict degrees, more often.

What is finished is kept in the folder's journal.jsonl: after an interruption the
same command goes on. A folder that was begun with other options or streams, on
another GPU or with another driver is refused; --restart begins it anew, and what
an earlier run left there is removed. One process at a time measures into a folder.

A stream for which the device has no room is left out with a warning.

sort and segreduce come from a library of CUDA, and need a program that nvcc has
built: --companion names it. Where it is missing their times are predicted from
the measured bandwidth and marked so. partition needs it too, and is left out. Suite counters needs NVIDIA's ncu.`

func newMeasure(e *env) *cobra.Command {
	var flags measureFlags
	cmd := &cobra.Command{
		Use:   "measure --out DIR",
		Short: "Measure a GPU",
		Long:  measureLong,
		Example: `  atomprobe measure --quick --out run
  atomprobe measure --full --suite warp --suite memory --repeats 7 --out warp
  atomprobe measure --quick --suite calls --type u64 --stream indices.txt --out mine`,
		Args: command.NoArguments,
	}
	flags.register(cmd)
	cmd.RunE = command.Action(func(*cobra.Command, []string) error { return e.measure(flags) })
	return cmd
}

func (e *env) measure(f measureFlags) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	code, err := newMachineCode(f.cubin)
	if err != nil {
		return err
	}
	defer code.end()
	gpu, err := f.open(code)
	if err != nil {
		return err
	}
	defer gpu.Close() // the process ends anyway
	plan, err := probe.NewPlan(gpu.Describe(), o)
	if err != nil {
		return err
	}
	start, journal := e.Now(), filepath.Join(f.out, probe.JournalFile)
	bar := report.NewBar(&e.Env, "measuring", 0, report.UnitsDefault)
	tell := func(p probe.Progress) {
		e.Keeps("%s keeps %d of %d jobs, the same command goes on with them", journal, p.Done, p.Total)
		bar.SetOf(int64(p.Done), int64(p.Total))
	}
	outcome, err := plan.Run(e.Context(), gpu, probe.RunOptions{
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
	probe.Outcome
	ElapsedS float64 `json:"elapsed_s"`
}

func (e *env) report(d driver.Description, o probe.Outcome, seconds float64) error {
	doc := measureOutput{d.Name, d.Capability(), d.Driver, o, seconds}
	return e.Emit(doc, func(w *bytes.Buffer) {
		report.Fprintf(w, "%s, compute capability %s, driver %s\n", d.Name, d.Capability(), d.Driver)
		report.Fprintf(w, "%d jobs in %.1f s", o.Jobs, seconds)
		if o.Resumed > 0 {
			report.Fprintf(w, ", %d of them from the journal", o.Resumed)
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
	flags.StringVar(&f.Specs, "specs", "", input.AtMost(wholefile.Most, "`file` of specifications of "+
		"streams of suite calls, one a line, in place of the built-in ones"))
	flags.StringArrayVar(&f.impls, "implementation", nil,
		"`name` of what to measure in suite calls (repeat for more)")
	flags.BoolVar(&f.Launches, "launches", false, "measure suite calls in launches of 1 to 8 "+
		"blocks of 256 to 1,024 threads for each multiprocessor too: those of --implementation, else a few of each kind")
	command.RegisterClear(flags, &f.Keeps, "calls of suite calls clear their targets; --clear=false "+
		"times them on an array that is there")
	flags.StringArrayVar(&f.Files, "stream", nil,
		"index stream to measure too, a `file` of 2,147,483,647 updates at most, of 4 bytes of memory "+
			"each (repeat for more); a matrix or an edge list is two, its rows and its columns, both sorted by row")
	flags.StringVar(&f.Companion, "companion", "", "`program` that measures sort, segreduce and partition")
	flags.StringVar(&f.cubin, "cubin", "", "`folder` for the machine code that the driver made of "+
		"each module")
	flags.StringVar(&f.ncu, "ncu", "", "`path` of NVIDIA's profiler (looked up if not given)")
	types := strings.Fields(strings.Trim(fmt.Sprint(device.Types()), "[]"))
	command.CompleteFlag(cmd, "suite", probe.Suites())
	command.CompleteFlag(cmd, "type", types)
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
	for _, name := range f.types {
		t, wrong := device.ParseType(name)
		o.Types, err = append(o.Types, t), cmp.Or(err, wrong)
	}
	for _, name := range f.impls {
		v, wrong := variant.Parse(name)
		o.Implementations, err = append(o.Implementations, v), cmp.Or(err, wrong)
	}
	if err == nil {
		o.Counters, err = f.counters()
	}
	return o, cmp.Or(err, o.Validate())
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

// open opens the GPU. code keeps what the driver makes of the modules.
func (f *measureFlags) open(code *machineCode) (*libcuda.GPU, error) {
	l, err := libcuda.Open()
	if err != nil {
		return nil, err
	}
	return l.Open(f.device, code.keep)
}
