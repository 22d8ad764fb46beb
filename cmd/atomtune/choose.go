package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/plan"
)

type chooseFlags struct {
	stream      input.StreamFlags
	measure     input.MeasureFlags
	call        input.CallFlags
	constraints choice.Flags
	options     tuner.Options
	model       string
	sampling    tuner.SamplingBudget
	sampled     bool // as far as that pays
	exact       bool
	from        uint64 // updates from which a stream is sampled until the choice is settled
	simulate    bool
	explain     bool
	all         bool
	byDefault   bool // the device
	search      bool
	launch      launchFlag
	plan        string // the file that keeps the choice
}

func newChoose(e *env) *cobra.Command {
	var f chooseFlags
	cmd := newCommand("choose [FILE...]", input.StdinOnce, input.DefaultStream)
	f.call.Register(cmd, &f.stream)
	f.stream.RegisterTaken(cmd, e.Stdin)
	f.measure.Register(cmd)
	f.constraints.Register(cmd)
	f.register(cmd.Flags())
	command.Hide(cmd, "exact", "sample-from", "sampling-cost", "sampling-most", "search-launch")
	cmd.RunE = command.Action(func(cmd *cobra.Command, args []string) error {
		flags := cmd.Flags()
		args = input.OrDefault(args)
		if err := f.call.Finish(&f.stream, flags.Changed); err != nil {
			return err
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

func (f *chooseFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.exact, "exact", false, "read the whole stream, however long")
	flags.Uint64Var(&f.from, "sample-from", tuner.SampledFrom,
		"number of `updates` from which a stream is sampled, if its file allows random access")
	flags.Lookup("sample").Usage = "measure a random sample of this many `blocks` (0: read short streams completely, sample " +
		"long ones until the choice no longer changes)"
	flags.StringVar(&f.model, "model", "",
		input.AtMost(model.MostBytes, "`file` of a trained model (default: built in) or of a decision tree"))
	f.launch.ranges = true
	flags.Var(&f.launch, "launch", "fix the grid of the main kernel: "+launchSpellings+"; or ranges to search, such as 132-1056x256-1024")
	flags.BoolVar(&f.search, "search-launch", true,
		"also search the launch of each implementation; --search-launch=false uses a fixed rule")
	flags.Float64Var(&f.sampling.CostUS, "sampling-cost", 0,
		"sample only as far as sampling pays over all calls; each sample costs this many `microseconds` extra, "+
			"for instance to copy it from the device")
	flags.Float64Var(&f.sampling.MostUS, "sampling-most", 0, fmt.Sprintf("the same, and stop when all samples together cost this many `microseconds` "+
		"(0: %d, or the cost of the first sample)", tuner.DefaultSamplingUS))
	flags.BoolVar(&f.simulate, "simulate", false,
		"also simulate the choice, and warn if the times disagree")
	flags.BoolVar(&f.all, "all", false, "print the whole ranking, the floor and how the tree decided")
	flags.BoolVar(&f.explain, "explain", false, "explain each bottleneck in a sentence")
	flags.StringVar(&f.plan, "save-plan", "",
		input.AtMost(plan.MostBytes, "save the choice as a plan to this `file`, for programs that look it up"))
}

// apart are pairs of flags that say in two ways what is read of a stream.
var apart = [][2]string{{"exact", "sample"}, {"exact", "sampling-cost"}, {"exact", "sampling-most"},
	{"sample-from", "sample"}, {"sample-from", "sampling-cost"}, {"sample-from", "sampling-most"},
	{"sample-from", "exact"}, {"sample-from", "simulate"}, {"sample-from", "save-plan"}, {"sample", "sampling-cost"},
	{"sample", "sampling-most"}}

// finish makes options of the flags, and refuses those that contradict each other.
func (f *chooseFlags) finish(given func(flag string) bool) (err error) {
	s, o := &f.sampling, &f.options
	if *o, err = f.constraints.Options(f.call.Call, given); err != nil {
		return err
	}
	for _, pair := range apart {
		if given(pair[0]) && given(pair[1]) {
			return command.Usagef("--%s and --%s exclude each other: both say how much of a stream is "+
				"read", pair[0], pair[1])
		}
	}
	f.byDefault = !given("device")
	f.sampled = given("sampling-cost") || given("sampling-most")
	switch searched := given("search-launch") && f.search; {
	case searched && given("launch"):
		return command.Usagef("--search-launch and --launch exclude each other: --launch fixes the grid")
	case (searched || len(f.launch.list) > 1) && f.sampled:
		return command.Usagef("a search among launches reads the whole stream: --sampling-cost and " +
			"--sampling-most cannot be used with it")
	case (tuner.SamplingBudget{CostUS: s.CostUS}).Validate() != nil:
		return command.Usagef("--sampling-cost %v: want 0 or more microseconds", s.CostUS)
	case s.Validate() != nil:
		return command.Usagef("--sampling-most %v: want 0 or more microseconds", s.MostUS)
	}
	o.SearchLaunch, o.Launches, o.Padded = f.search && !f.sampled, f.launch.list, f.stream.Options.Ignore != ""
	how := f.measure.Options
	o.Reading = tuner.Reading{Sample: how.Sample, Seed: how.Seed, From: f.long(), Workers: how.Workers}
	if s.Calls, s.Seed = o.Calls, how.Seed; f.sampled {
		o.Reading.Budget = s
	}
	if err = wholefile.Writable(f.plan); err != nil {
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
	if f.options.Call.Wide() {
		if err := d.CanCall(impl.Spec{}, f.options.Call, 1); err != nil {
			return err
		}
	}
	c, err := tuner.New(d, f.options)
	if errors.Is(err, model.ErrModel) {
		return fmt.Errorf("--model: %s: %w", f.model, err)
	} else if err != nil {
		return choice.Instead(err, f.options, d)
	}
	return input.Each(e, args, func(path string) (choice.Document, error) { return f.answer(e, c, d, path) }, choice.Print)
}

// answer measures one input, in memory where more than statistics is asked for, and chooses for indices of its type.
func (f *chooseFlags) answer(e *env, c *tuner.Chooser, d *device.Profile, path string) (doc choice.Document, err error) {
	src, err := input.Open(e, path, f.stream)
	if err != nil {
		return doc, err
	}
	defer func() { err = errors.Join(src.Named(err), src.Close()) }()
	if lanes := f.simulate || f.plan != ""; lanes || f.sampled {
		if err = src.Hold(); err == nil && lanes {
			err = src.Whole("--simulate and --save-plan do not support inactive lanes")
		}
		if err != nil {
			return doc, err
		}
	}
	if c, err = c.For(src.Of(f.options.Call)); err != nil {
		return doc, err
	}
	m, err := src.Measure(c)
	if err != nil {
		return doc, err
	}
	doc = choice.Document{Profile: d, All: f.all, ByDefault: f.byDefault, Planned: f.plan != ""}
	if doc.Decision, err = c.Choose(m); err == nil {
		err = f.complete(e, &doc, c, src)
	}
	return doc, choice.Instead(err, f.options, d)
}

// complete adds to a decision what is known of the input, what was asked for besides, and the code.
func (f *chooseFlags) complete(e *env, doc *choice.Document, c *tuner.Chooser, src *input.Source) error {
	if f.launch.text != "" {
		doc.Constraints.Launch = &f.launch.text
	}
	if src.Indices != nil { // of which a sample does not tell so much
		doc.Stream.Updates, doc.Stream.Ignored = uint64(len(src.Indices))-src.Ignored, src.Ignored
	}
	if l := doc.Settling; l != nil {
		all := uint64(src.Random().Len())
		doc.Read = &choice.Read{Percent: 100 * float64(l.Positions) / float64(all), Bytes: l.Positions * src.UpdateBytes(),
			TotalBytes: all * src.UpdateBytes()}
	}
	if f.plan != "" {
		if err := f.keep(doc, src); err != nil {
			return err
		}
	}
	if f.simulate {
		if err := simulateChoice(e, doc, src); err != nil {
			return err
		}
	}
	if f.explain {
		doc.Legend = choice.Explained(&doc.Decision)
	}
	return doc.Complete(c, src, f.stream.Options)
}

// long returns the length from which choose samples.
func (f *chooseFlags) long() uint64 {
	if f.exact || f.measure.Options.Sample != 0 || f.call.Call.Wide() || f.simulate || f.plan != "" {
		return math.MaxUint64
	}
	return f.from
}

// keep keeps the choice for a stream as a plan.
func (f *chooseFlags) keep(doc *choice.Document, s *input.Source) error {
	first := doc.Ranking[0]
	return plan.Save(f.plan, plan.Plan{
		Key: plan.NewKey(doc.Profile.Title, doc.Call.Of, s.Index, uint64(len(s.Indices)), s.Bins(),
			func(i uint64) uint32 { return s.Indices[i] }),
		Implementation: first.Implementation, Launch: first.Launch.Launch(),
	})
}

// launchFlag is the value of --launch: one launch, or where ranges may be given all launches of them.
type launchFlag struct {
	text   string
	list   []device.Launch
	ranges bool
}

const launchSpellings = "`BxT`, blocks x threads, or BxTxU with an unroll of 1, 2, 4 or 8"

func (f *launchFlag) String() string { return f.text }
func (f *launchFlag) Type() string   { return "launch" }

func (f *launchFlag) Set(text string) (err error) {
	if f.text = text; f.ranges {
		f.list, err = device.ParseLaunches(text)
		return err
	}
	f.list = make([]device.Launch, 1)
	f.list[0], err = device.ParseLaunch(text)
	return err
}

// one is the launch that was given, zero where none was.
func (f *launchFlag) one() (l device.Launch) {
	if len(f.list) > 0 {
		l = f.list[0]
	}
	return l
}
