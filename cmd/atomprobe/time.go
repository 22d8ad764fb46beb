package main

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/microbench"
	"github.com/atomtune/atomtune/microbench/calls"
	"github.com/atomtune/atomtune/microbench/timing"
)

type timeFlags struct {
	*gpuFlags
	timing    timing.Options
	stream    input.StreamFlags
	profile   string
	budget    float64 // seconds
	everyLine bool
}

func newTime(e *env, common *gpuFlags) *cobra.Command {
	f := timeFlags{gpuFlags: common}
	cmd := newCommand("time FILE", "Time every implementation and launch on your stream",
		cobra.ArbitraryArgs, func(args []string) error { return e.time(args, &f) })
	f.register(e, cmd)
	return cmd
}

func (f *timeFlags) register(e *env, cmd *cobra.Command) {
	f.gpuFlags.register(cmd)
	flags, ops, call := cmd.Flags(), input.Names(device.Ops()), &f.timing.Call
	flags.StringVar(&f.profile, "profile", "",
		input.AtMost(device.MostBytes, "`name` of a device profile, or path of its file, to predict by "+
			"(default: that of this GPU)"))
	flags.TextVar(&call.Op, "op", device.Add, "`operation` of each update; only add has kernels")
	flags.BoolVar(&call.Returns, "returns", false, "each update returns the old value of its target")
	input.RegisterOperand(cmd, &call.Operand)
	flags.BoolVar(&f.timing.Relaid, "relaid", false, "the updates arrive already re-laid out for ss and sr+ss")
	flags.Float64Var(&f.budget, "budget", 60,
		"`seconds` of timing (0: until everything is timed)")
	flags.BoolVar(&f.everyLine, "all", false, "print every launch that was timed")
	f.stream.Register(cmd, e.Stdin)
	command.CompleteFlag(cmd, "op", ops)
}

// finish makes options of the flags.
func (f *timeFlags) finish() (err error) {
	o := &f.timing
	switch o.Call.Keeps = f.Keeps; {
	case !(f.budget >= 0) || f.budget > 1e6:
		return command.Usagef("--budget %v: want 0 to 1000000 seconds", f.budget)
	case len(f.Types) > 1:
		return command.Usagef("--type is given %d times, where one stream is timed once", len(f.Types))
	case o.Call.Op != device.Add:
		return command.Usagef("--op %s: only add has kernels to time", o.Call.Op)
	case len(f.Types) == 1:
		o.Call.Type = f.Types[0]
	}
	if err := (microbench.Options{Options: f.Options}).Validate(); err != nil {
		return err
	}
	o.Options, o.Budget = f.Options, time.Duration(f.budget*float64(time.Second))
	o.Companion, err = calls.FindCompanion(f.Companion)
	return err
}

func (e *env) time(files []string, f *timeFlags) error {
	if len(files) != 1 {
		return command.Usagef("time takes one FILE (- is standard input), but got %d", len(files))
	}
	if err := f.finish(); err != nil {
		return err
	}
	gpu, err := f.open()
	if err != nil {
		return err
	}
	defer gpu.Close() // the process ends anyway
	d, o := gpu.Describe(), &f.timing
	if f.profile != "" {
		o.Profile, err = device.Load(f.profile)
	} else {
		o.Profile, err = device.Titled(d.Name) // nil if there is none
	}
	if err != nil {
		return err
	}
	s, err := input.Load(&e.Env, files[0], f.stream)
	if err != nil {
		return err
	}
	doc := timeDocument{GPU: d.Name, ComputeCapability: d.Capability(), Driver: d.Driver, Call: o.Call,
		Stream:    streamDocument{s.File, s.Format, len(s.Indices), s.Bins()},
		everyLine: f.everyLine, budget: f.budget}
	bar := report.NewBar(&e.Env, "timing", 0, report.UnitsDefault)
	o.Now, o.Progress = e.Now, func(tried, all int) { bar.SetOf(int64(tried), int64(all)) }
	doc.Result, err = timing.Run(e.Context(), gpu,
		calls.Stream{Name: s.File, Indices: s.Indices, Bins: s.Bins()}, *o)
	bar.Stop()
	return e.reportTime(&doc, o.Profile, err)
}

// reportTime prints what was timed, if there is something. err is that of the timing.
func (e *env) reportTime(doc *timeDocument, p *device.Profile, err error) error {
	if doc.Ended == timing.Cut {
		e.Keeps("%s timed; the same command starts over", report.Counted(len(doc.Timed), "call"))
	}
	if len(doc.Timed) == 0 {
		return cmp.Or(err, fmt.Errorf("%s: nothing was timed: %s", doc.Stream.File, doc.whyNothing()))
	}
	if p != nil && p.Title != doc.GPU {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("times are predicted by the profile of %s, but this GPU "+
			"is %s", p.Title, doc.GPU))
	}
	return cmp.Or(e.Emit(doc, doc.print), err, doc.wrong())
}

// registerTime gives the root command the flags of time that measure does not have.
func registerTime(root, timing *cobra.Command) {
	timing.Flags().VisitAll(func(f *pflag.Flag) {
		if root.Flags().Lookup(f.Name) == nil {
			root.Flags().AddFlag(f)
		}
	})
}

// ownFlags are the flags of time that are registered with the root command, as they are.
func ownFlags(root, timing *cobra.Command) (names []string) {
	timing.Flags().VisitAll(func(f *pflag.Flag) {
		if root.Flags().Lookup(f.Name) == f {
			names = append(names, f.Name)
		}
	})
	return names
}

// timeStreams carries out time as a command line without a command asks for it: --stream FILE alone.
func timeStreams(root, timing *cobra.Command, files []string) (err error) {
	root.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "stream" && f != root.Flag("json") && timing.Flags().Lookup(f.Name) == nil {
			err = command.Usagef("--%s needs --quick or --full, not --stream alone", f.Name)
		}
	})
	return cmp.Or(err, timing.RunE(timing, files))
}
