package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/cmd/atomtune/internal/ordering"
	"github.com/atomtune/atomtune/cmd/atomtune/internal/rowchoice"
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/rows"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

type chooseFlags struct {
	stream      input.StreamFlags
	measure     input.MeasureFlags
	call        input.CallFlags
	constraints choice.Flags
	options     tuner.Options
	model       string
	sampling    tuner.SamplingBudget
	settling    settlingFlags
	simulate    bool
	explain     bool
	search      bool
	launch      launchesFlag
	plan        planFlags
	rows        rowchoice.Flags
}

func newChoose(e *env) *cobra.Command {
	var f chooseFlags
	cmd := &cobra.Command{
		Use:   "choose [FILE...]",
		Short: "Rank the implementations for an index stream and say why",
		Args:  func(_ *cobra.Command, args []string) error { return input.StdinOnce(args) },
	}
	explain(cmd, input.DefaultStream)
	command.Append(cmd, input.Families())
	f.call.Register(cmd)
	f.stream.Register(cmd, e.Stdin)
	f.stream.RegisterTaken(cmd)
	f.measure.Register(cmd)
	f.settling.register(cmd.Flags())
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "",
		input.AtMost(model.MostBytes, "`file` of a trained model (default: the built-in model of the device), or of a decision tree"))
	f.constraints.Register(cmd)
	f.launch.register(flags, "fix the grid of the main kernel")
	flags.BoolVar(&f.search, "search-launch", true,
		"search the launch of each implementation too; --search-launch=false keeps that of a fixed rule")
	flags.IntVar(&f.sampling.Launches, "launches", 0,
		"sample the stream only as far as that pays over this many `launches` (0: read the whole stream)")
	flags.Float64Var(&f.sampling.CostUS, "sampling-cost", 0,
		"what each sample costs besides, in `microseconds`: of the copy from the device, for instance")
	flags.Float64Var(&f.sampling.MostUS, "sampling-most", 0,
		fmt.Sprintf("what all samples together may cost, in `microseconds` "+
			"(0: %d, or the first alone)", tuner.DefaultSamplingUS))
	flags.BoolVar(&f.simulate, "simulate", false,
		"simulate the choice too, and warn where its simulated and its predicted time do not agree")
	flags.BoolVar(&f.explain, "explain", false, "say in a sentence what each bound means")
	f.plan.register(flags)
	f.rows.Register(cmd, &f.stream.Rows, &f.call.Call.Type)
	cmd.RunE = command.Action(func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			args = []string{input.DefaultStream}
		}
		switch ofRows, err := f.rows.Asked(cmd); {
		case err != nil:
			return err
		case ofRows:
			return chooseRows(e, args, &f, flags)
		}
		tree, err := f.treeOf(flags)
		if err != nil {
			return err
		}
		if tree != nil {
			f.options.Call = f.call.Call
			return chooseByTree(e, args, &f, tree)
		}
		if err := f.finish(flags.Changed); err != nil {
			return err
		}
		return choose(e, args, &f)
	})
	return cmd
}

// chooseRows chooses among the forms of updates of rows.
func chooseRows(e *env, args []string, f *chooseFlags, flags *pflag.FlagSet) error {
	c, err := f.rows.Call(flags, f.call.Call.Keeps)
	if err != nil {
		return err
	}
	o, err := f.constraints.Rows(flags.Changed)
	if err != nil {
		return err
	}
	d, err := device.Load(f.call.Device)
	if err == nil {
		err = rows.Check(d, c)
	}
	if err != nil {
		return err
	}
	f.measure.Options.WarpSize = int(d.Core.WarpLanes.Value)
	return input.Each(e, args, func(path string) (doc rowchoice.Document, err error) {
		seen, err := input.Observe(e, path, f.stream, f.measure.Options, func([]uint32) error { return nil })
		if err != nil {
			return doc, err
		}
		s := seen.Loaded(f.stream)
		doc, err = rowchoice.New(d, c, o, seen.StreamDocument)
		if err == nil && f.simulate {
			err = simulateRows(e, &doc, d, c, s)
		}
		if err != nil {
			return doc, fmt.Errorf("%s: %w", s.File, err)
		}
		if f.explain {
			doc.Explain()
		}
		doc.Warnings = ordering.Against(doc.Warnings, doc.Choice.Implementation.String(), s.Sorted(), doc.Sorted)
		doc.Paste(f.stream.Options)
		return doc, nil
	}, rowchoice.Print)
}

// finish makes options of the flags, and refuses those that contradict each other.
func (f *chooseFlags) finish(given func(flag string) bool) (err error) {
	s, o := &f.sampling, &f.options
	if *o, err = f.constraints.Options(given); err != nil {
		return err
	}
	if err = f.settling.check(given); err != nil {
		return err
	}
	switch {
	case s.Launches < 0:
		return command.Usagef("--launches %d: want 0 or more", s.Launches)
	case given("sampling-cost") && s.Launches == 0:
		return command.Usagef("--sampling-cost goes with --launches")
	case given("sampling-most") && s.Launches == 0:
		return command.Usagef("--sampling-most goes with --launches")
	case given("search-launch") && f.search && given("launch"):
		return command.Usagef("--search-launch goes without --launch, which fixes the grid")
	case (given("search-launch") && f.search || len(f.launch.list) > 1) && s.Launches != 0:
		return command.Usagef("a search among launches reads the whole stream: --launches does not go " +
			"with it")
	case given("sample") && s.Launches != 0:
		return command.Usagef("--launches takes samples by itself, so --sample does not go with it")
	case (tuner.SamplingBudget{CostUS: s.CostUS}).Validate() != nil:
		return command.Usagef("--sampling-cost %v: want 0 or more microseconds", s.CostUS)
	case s.Validate() != nil:
		return command.Usagef("--sampling-most %v: want 0 or more microseconds", s.MostUS)
	}
	switch o.SearchLaunch = f.search && s.Launches == 0; len(f.launch.list) {
	case 0:
	case 1:
		o.SearchLaunch, o.Launch = false, f.launch.list[0]
	default:
		o.SearchLaunch, o.Among = true, f.launch.list
	}
	s.Seed, o.Call, o.Padded = f.measure.Options.Seed, f.call.Call, f.stream.Options.Ignore != ""
	if err = f.plan.check(given); err != nil {
		return err
	}
	if f.model != "" {
		if o.Model, err = model.Load(f.model); err != nil {
			return fmt.Errorf("--model: %w", err)
		}
	}
	return o.Validate()
}

func choose(e *env, args []string, f *chooseFlags) error {
	d, err := device.Load(f.call.Device)
	if err != nil {
		return err
	}
	f.measure.Options.WarpSize = int(d.Core.WarpLanes.Value)
	if f.options.Model != nil || f.options.Cautious { // before any stream is read
		switch _, err := tuner.NewChooser(d, f.options); {
		case errors.Is(err, model.ErrModel):
			return fmt.Errorf("--model: %s: %w", f.model, err)
		case errors.Is(err, model.ErrOptions):
			return err
		}
	}
	return input.Each(e, args, func(path string) (choice.Document, error) {
		doc := choice.Document{Device: d.Name, Call: choice.NewCall(f.options.Call),
			Constraints: choice.NewConstraints(f.options), Profile: d}
		if len(f.options.Among) > 0 {
			doc.Constraints.Launch = &f.launch.text
		}
		return doc, decide(e, &doc, path, f)
	}, choice.Print)
}

// decide reads one input and chooses for it.
func decide(e *env, doc *choice.Document, path string, f *chooseFlags) error {
	s, sorted, err := readStream(e, doc, path, f)
	if err != nil {
		return err
	}
	switch {
	case doc.Settling != nil: // which went with reading
	case s.Indices != nil:
		doc.Decision, err = f.chooseFor(s.Indices, s.Bins, doc.Profile)
		doc.Stream.Stats = doc.Decision.Stream
		doc.Stream.Updates, doc.Stream.Ignored = uint64(len(s.Indices))-s.Ignored, s.Ignored
	default:
		doc.Decision, err = tuner.Choose(&doc.Stream.Stats, doc.Profile, f.options)
	}
	if err == nil && f.plan.path != "" {
		err = f.plan.save(doc, f.options.Call, s)
	}
	if err == nil && f.simulate {
		err = simulateChoice(e, doc, s)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", doc.Stream.File, err)
	}
	if f.explain {
		doc.Legend = choice.Explained(&doc.Decision)
	}
	ordering.Note(&doc.Decision, sorted, func(indices []uint32) (tuner.Decision, error) {
		return f.chooseFor(indices, s.Bins, doc.Profile)
	})
	doc.Code, err = choice.Complete(&doc.Decision, &doc.Stream, f.options, doc.Profile)
	return err
}

// readStream measures the stream, or holds it in memory where more than its statistics is asked for. The
// second result is the same stream sorted, nil where that is no other.
func readStream(e *env, doc *choice.Document, path string, f *chooseFlags) (s input.Loaded,
	sorted *input.Sorted, err error) {
	lanes := f.simulate || f.plan.path != ""
	if f.sampling.Launches == 0 && !lanes {
		sorted, err = f.settle(e, doc, path)
		s.Bins = doc.Stream.Bins
		return s, sorted, err
	}
	if s, err = input.Load(e, path, f.stream); err == nil && lanes {
		err = s.Whole("neither --simulate nor --save-plan has lanes without one")
	}
	doc.Stream = s.StreamDocument
	return s, s.Sorted(), err
}

// chooseFor chooses for a stream in memory.
func (f *chooseFlags) chooseFor(indices []uint32, bins uint64, d *device.Profile) (tuner.Decision,
	error) {
	if f.sampling.Launches > 0 {
		return tuner.ChooseSampled(indices, bins, d, f.options, f.sampling)
	}
	how := f.measure.Options
	how.Bins, how.Padded = bins, f.options.Padded
	stats, err := collision.Analyze(indices, how)
	if err != nil {
		return tuner.Decision{}, err
	}
	return tuner.Choose(&stats, d, f.options)
}
