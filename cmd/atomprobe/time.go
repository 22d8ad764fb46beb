package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/gpu/driver"
	"github.com/atomtune/atomtune/gpu/kernels"
	"github.com/atomtune/atomtune/gpu/libcuda"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/probe/calls"
	"github.com/atomtune/atomtune/probe/timing"
	"github.com/atomtune/atomtune/variant"
)

const timeLong = `time times every implementation in every launch on the index stream in FILE, now,
on the GPU at hand, and checks each result against a serial sum. FILE is a stream in
any format that atomtune reads, through gzip too, - for standard input, or a name
such as synth:zipf:n=65536,k=1024,s=1.1.

It ranks the implementations by their median time, each in its fastest launch
(--all: every launch), and says what atomtune choose would have taken by the
profile of this GPU, and how many times as long as the fastest that takes. What is
predicted to be fastest is timed first; --budget ends it, and an interrupt (Ctrl-C)
keeps what was timed. The few fastest and the choice are timed a second time, which
then counts: the least of many medians is flattered by noise. atomprobe --stream
FILE is the same command.

Times are those of one call between two events: clearing the targets (unless
--clear=false) and all kernels. ss and sr+ss are left out unless --relaid says that
the updates come re-laid; sort, segreduce and partition unless --companion names
the program that measures them, which nvcc has built. Kernels add; for another
operation there is none to time.`

// timeFlags are the flags that say what is timed.
type timeFlags struct {
	timing.Options
	stream    input.StreamFlags
	profile   string
	device    int
	budget    float64 // seconds
	impls     []string
	everyLine bool
}

func newTime(e *env) *cobra.Command {
	var f timeFlags
	cmd := &cobra.Command{
		Use:   "time FILE",
		Short: "Time every implementation and launch on a stream of yours, now",
		Long:  timeLong,
		Example: `  atomprobe time indices.txt
  atomprobe time --type f32 --value one --budget 10 indices.txt
  atomprobe time --returns --all --json indices.txt`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return command.Usagef("time takes one FILE (- is standard input), but got %d", len(args))
			}
			return nil
		},
	}
	f.register(e, cmd)
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
		return e.time(args[0], &f)
	})
	return cmd
}

func (f *timeFlags) register(e *env, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&f.device, "device", 0, "`number` of the GPU, as devices lists it")
	flags.StringVar(&f.profile, "profile", "",
		input.AtMost(device.MostBytes, "`name` of a device profile, or path of its file, to predict by "+
			"(default: that of this GPU)"))
	types, ops := input.TypeNames(), input.Names(device.Ops())
	flags.TextVar(&f.Call.Type, "type", device.U32, "`type` of the targets: "+input.List(types))
	flags.TextVar(&f.Call.Op, "op", device.Add, "`operation` of each update; there are kernels of add")
	flags.BoolVar(&f.Call.Returns, "returns", false, "each update needs the old value of its target")
	command.RegisterClear(flags, &f.Call.Keeps,
		"the call clears the targets; --clear=false times it on an array that is there")
	input.RegisterOperand(cmd, &f.Call.Operand)
	flags.BoolVar(&f.Relaid, "relaid", false, "the updates come re-laid as ss and sr+ss want them")
	flags.IntVar(&f.Repeats, "repeats", 0,
		"`times` that each call is timed (0: by its length 15, 7 or 3)")
	flags.Float64Var(&f.budget, "budget", 60,
		"`seconds` of timing (0: until everything is timed)")
	flags.StringArrayVar(&f.impls, "implementation", nil,
		"`name` of what to time (repeat for more; default: all)")
	flags.StringVar(&f.Companion, "companion", "",
		"`program` that measures sort, segreduce and partition")
	flags.BoolVar(&f.everyLine, "all", false, "print every launch that was timed")
	f.stream.Register(cmd, e.Stdin)
	command.CompleteFlag(cmd, "type", types)
	command.CompleteFlag(cmd, "op", ops)
}

// finish makes options of the flags.
func (f *timeFlags) finish() (err error) {
	const mostRepeats = 1000
	switch {
	case f.Repeats < 0 || f.Repeats > mostRepeats:
		return command.Usagef("--repeats %d: want 0 to %d", f.Repeats, mostRepeats)
	case !(f.budget >= 0) || f.budget > 1e6:
		return command.Usagef("--budget %v: want 0 to 1000000 seconds", f.budget)
	}
	f.Budget = time.Duration(f.budget * float64(time.Second))
	for _, name := range f.impls {
		v, wrong := variant.Parse(name)
		f.Implementations, err = append(f.Implementations, v), cmp.Or(err, wrong)
	}
	if err != nil {
		return err
	}
	if err := (calls.Options{Implementations: f.Implementations}).Validate(); err != nil {
		return command.Usagef("--implementation: %v", err)
	}
	if _, there := kernels.Update(variant.Variant{}, f.Call, 1); !there {
		return command.Usagef("--op %s: there are kernels of add alone, so that nothing can be timed",
			f.Call.Op)
	}
	f.Companion, err = calls.FindCompanion(f.Companion)
	return err
}

func (e *env) time(path string, f *timeFlags) error {
	if err := f.finish(); err != nil {
		return err
	}
	l, err := libcuda.Open()
	if err != nil {
		return err
	}
	gpu, err := l.Open(f.device, func(string) error { return nil })
	if err != nil {
		return err
	}
	defer gpu.Close() // the process ends anyway
	if f.Profile, err = profileOf(f.profile, gpu.Describe()); err != nil {
		return err
	}
	s, err := input.Load(&e.Env, path, f.stream)
	if err != nil {
		return err
	}
	doc := newTimeDocument(gpu.Describe(), s, f)
	bar := report.NewBar(&e.Env, "timing", 0, report.UnitsDefault)
	f.Now, f.Progress = e.Now, func(tried, all int) { bar.SetOf(int64(tried), int64(all)) }
	doc.Result, err = timing.Run(e.Context(), gpu,
		calls.Stream{Name: s.File, Indices: s.Indices, Bins: s.Bins}, f.Options)
	bar.Stop()
	return e.reportTime(&doc, f.Profile, err)
}

// reportTime prints what was timed, if there is something. err is that of the timing.
func (e *env) reportTime(doc *timeDocument, p *device.Profile, err error) error {
	if doc.Ended == timing.Cut {
		e.Keeps("%s timed, the same command begins anew", report.Counted(len(doc.Timed), "call"))
	}
	if len(doc.Timed) == 0 {
		return cmp.Or(err, fmt.Errorf("%s: nothing was timed: %s", doc.Stream.File, doc.whyNothing()))
	}
	if p != nil && p.Title != doc.GPU {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("times are predicted by the profile of %s, and "+
			"this GPU is %s", p.Title, doc.GPU))
	}
	return cmp.Or(e.Emit(doc, doc.print), err, doc.wrong())
}

// profileOf is the profile that is named, else the built-in one of the GPU, nil without one.
func profileOf(name string, d driver.Description) (*device.Profile, error) {
	if name != "" {
		return device.Load(name)
	}
	return device.Titled(d.Name)
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

// timeStreams carries out time as a command line without a command asks for it: --stream FILE
// alone. It hands the flags on that both have.
func timeStreams(root, timing *cobra.Command, files []string) error {
	if len(files) != 1 {
		return command.Usagef("--stream without --quick and --full times one FILE, but got %d",
			len(files))
	}
	var err error
	own := ownFlags(root, timing)
	root.Flags().Visit(func(f *pflag.Flag) {
		switch to := timing.Flags().Lookup(f.Name); {
		case f.Name == "stream" || slices.Contains(own, f.Name) || f == root.Flag("json"):
		case to == nil:
			err = cmp.Or(err, command.Usagef(
				"--%s goes with --quick or --full, and not with --stream alone", f.Name))
		default:
			err = cmp.Or(err, handOn(f, to))
		}
	})
	if err != nil {
		return err
	}
	return timing.RunE(timing, files)
}

// handOn gives a flag the values of another of its name.
func handOn(from, to *pflag.Flag) error {
	values := []string{from.Value.String()}
	list, several := from.Value.(pflag.SliceValue)
	if several {
		values = list.GetSlice()
	}
	if _, takes := to.Value.(pflag.SliceValue); len(values) > 1 && !takes {
		return command.Usagef("--%s is given twice, where one stream is timed once", from.Name)
	}
	for _, v := range values {
		if err := to.Value.Set(v); err != nil {
			return command.Usagef("--%s %s: %v", from.Name, v, err)
		}
	}
	return nil
}
