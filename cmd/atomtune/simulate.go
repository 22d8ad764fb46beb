package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/cmd/atomtune/internal/rowchoice"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/rows"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

type simulateFlags struct {
	stream input.StreamFlags
	call   input.CallFlags
	rows   rowchoice.Flags
	impl   string
	launch launchFlag
	seed   uint64
	relaid bool
}

func newSimulate(e *env) *cobra.Command {
	var f simulateFlags
	cmd := &cobra.Command{
		Use:   "simulate --impl NAME FILE",
		Short: "Simulate one implementation over an index stream",
		Args:  cobra.MatchAll(input.Files, command.AtMost(1, "simulate takes one FILE, but got %q too")),
	}
	explain(cmd)
	command.Append(cmd, input.Families())
	f.call.Register(cmd)
	f.rows.Register(cmd, &f.stream.Rows, &f.call.Call.Type)
	f.stream.Register(cmd, e.Stdin)
	f.stream.RegisterTaken(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.impl, "impl", "",
		"`name` of the implementation: parts of "+input.List(variant.Names())+" joined by +; of rows "+
			input.List(input.Names(rows.Forms())))
	f.launch.register(flags, "launch the main kernel so")
	flags.Uint64Var(&f.seed, "seed", 0, "`seed` of the values that updates bring")
	flags.BoolVar(&f.relaid, "relaid", false, choice.RelaidUsage)
	input.Require(cmd, "impl")
	command.CompleteFlag(cmd, "impl", input.Names(variant.Ranked(true)))
	cmd.RunE = command.Action(func(cmd *cobra.Command, args []string) error {
		d, err := device.Load(f.call.Device)
		if err != nil {
			return err
		}
		doc := simulateDocument{Device: d.Name, Seed: f.seed, Clear: !f.call.Call.Keeps, profile: d}
		run, err := f.asked(cmd, &doc)
		if err != nil {
			return err
		}
		return doc.simulate(e, args[0], f.stream, run)
	})
	return cmd
}

// simulation simulates a call on a stream for a document, of which it fills in what depends on the call.
type simulation func(s *input.Loaded) (r hwsim.Result, err error)

// asked returns the simulation that the flags ask for, of updates of single targets or of rows.
func (f *simulateFlags) asked(cmd *cobra.Command, doc *simulateDocument) (simulation, error) {
	ofRows, err := f.rows.Asked(cmd)
	if err != nil {
		return nil, err
	}
	if ofRows {
		return f.ofRows(cmd, doc)
	}
	v, err := variant.Parse(f.impl)
	if err != nil {
		return nil, err
	}
	c, d := f.call.Call, doc.profile
	if err := d.CanLaunch(variant.Variant{}, c.Type, 1, f.launch.Launch); err != nil {
		return nil, command.Usagef("--launch %s: %v", f.launch.Launch, err)
	}
	doc.Type, doc.Value, doc.Op, doc.Returns = c.Type.String(), c.Operand.String(), c.Op, &c.Returns
	doc.Implementation, doc.words, doc.bin = v, c.Words(), "target"
	return func(s *input.Loaded) (hwsim.Result, error) {
		r, err := hwsim.Run(hwsim.Config{Device: d, Call: c, Variant: v, Seed: f.seed, Relaid: f.relaid,
			Launch: f.launch.Launch}, s.Indices, s.Bins)
		doc.Launch, doc.HostUS = d.Limits().Shape(v, c.Type, s.Bins, r.Updates, f.launch.Launch), &r.HostUS
		return r, err
	}, nil
}

// ofRows is asked of rows.
func (f *simulateFlags) ofRows(cmd *cobra.Command, doc *simulateDocument) (simulation, error) {
	c, err := f.rows.Call(cmd.Flags(), f.call.Call.Keeps)
	if err != nil {
		return nil, err
	}
	i, err := rows.ParseImplementation(f.impl)
	if err != nil {
		return nil, command.Usagef("--impl with --width: %v", err)
	}
	d := doc.profile
	shape, err := c.Shape(d, i.Form, i.Slots)
	if err := cmp.Or(rows.Check(d, c), err); err != nil {
		return nil, err
	}
	doc.Type, doc.ValueType, doc.Width, doc.Implementation = c.Kind.Target(), c.Kind.Value(), c.Width, i
	doc.Launch, doc.words, doc.bin = shape.Launch(d), c.Words(), "row"
	return func(s *input.Loaded) (hwsim.Result, error) {
		r, sampled, err := runRows(hwsim.RowConfig{Device: d, Call: c, Form: i.Form, Slots: i.Slots, Seed: f.seed},
			s.Indices, s.Bins)
		doc.Sampled = &sampled
		return r, err
	}, nil
}

// simulate simulates the call on the stream of the path and prints what comes out.
func (doc *simulateDocument) simulate(e *env, path string, in input.StreamFlags, run simulation) error {
	s, err := input.LoadWhole(e, path, in, "no lane without one is simulated")
	if err != nil {
		return err
	}
	doc.File, doc.Taken, doc.stream, doc.Bins = s.File, s.Taken, s.Title(), s.Bins
	doc.Warnings = s.Simulation(e, hwsim.MaxBins)
	for _, text := range model.ProfileNotes(doc.profile) {
		e.Note("warning: %s", text)
		doc.Warnings = append(doc.Warnings, text)
	}
	stop := simulating(e, doc.Implementation)
	defer stop()
	start := e.Now()
	r, err := run(&s)
	if err != nil {
		return fmt.Errorf("%s: %w", s.File, err)
	}
	doc.WallS = e.Now().Sub(start).Seconds()
	stop()
	doc.Cycles, doc.US, doc.Updates, doc.Correct = r.Cycles, r.US, r.Updates, r.Correct
	doc.Kernels = append([]hwsim.KernelTime{}, r.Kernels...)
	if doc.Sampled == nil || !*doc.Sampled {
		doc.WarpInstructions, doc.Events = &r.WarpInstructions, &r.Events
	}
	return printSimulation(e, *doc)
}

// mostElements is the number of elements of rows up to which calls are simulated as a whole. The time of
// longer ones is estimated from samples.
const mostElements = 1 << 24

// runRows simulates a call on rows, or samples of it, which tell no more than its time.
func runRows(c hwsim.RowConfig, indices []uint32, bins uint64) (r hwsim.Result, sampled bool, err error) {
	if uint64(len(indices))*c.Call.Width <= mostElements {
		r, err = hwsim.RunRows(c, indices, bins)
		return r, false, err
	}
	us, err := hwsim.EstimateRows(c, indices, bins)
	return hwsim.Result{US: us, Cycles: uint64(float64(us*c.Device.Core.Clock.Value) + 0.5),
		Updates: uint64(len(indices)), Correct: true}, true, err
}

// simulating shows that a simulation goes on, until stop.
func simulating(e *env, implementation any) (stop func()) {
	progress := report.NewBar(e, fmt.Sprintf("simulating %v", implementation), 0, report.UnitsDefault)
	progress.Show()
	return progress.Stop
}

// simulateRows adds the simulated time of a choice for rows, as simulateChoice does.
func simulateRows(e *env, doc *rowchoice.Document, d *device.Profile, c rows.Call, s input.Loaded) error {
	if err := s.Whole("--simulate has no lanes without one"); err != nil {
		return err
	}
	s.Simulation(e, hwsim.MaxBins)
	i := doc.Choice.Implementation
	defer simulating(e, i)()
	r, estimated, err := runRows(hwsim.RowConfig{Device: d, Call: c, Form: i.Form, Slots: i.Slots}, s.Indices, s.Bins)
	if err == nil && !r.Correct {
		err = errWrongSums
	}
	doc.Simulated = &choice.Simulated{US: r.US, Estimated: estimated}
	doc.Warnings = append(doc.Warnings, doc.Simulated.Against(i, doc.Choice.LowUS, doc.Choice.HighUS)...)
	return err
}

// mostSimulated is the length of the streams that choose --simulate simulates as a whole, as
// simulate does; the times of longer ones are estimated from samples.
const mostSimulated = 1 << 23

// simulateChoice adds the simulated time of the choice, and a warning where it is outside the interval
// of the predicted one.
func simulateChoice(e *env, doc *choice.Document, of input.Loaded) error {
	c, indices, bins := doc.Choice, of.Indices, of.Bins
	of.Indices = indices[:min(len(indices), mostSimulated)]
	of.Simulation(e, hwsim.MaxBins)
	defer simulating(e, c.Implementation)()
	call := doc.Call.Device()
	var launch device.Launch
	if doc.Constraints.Launch != nil || doc.Constraints.SearchLaunch { // else that of the rule
		launch = doc.Ranking[0].Launch.Launch()
	}
	cfg := hwsim.Config{Device: doc.Profile, Call: call, Variant: c.Implementation, Launch: launch,
		Relaid: doc.Constraints.Relaid}
	s := choice.Simulated{Estimated: len(indices) > mostSimulated}
	var err error
	if s.Estimated {
		s.US, err = simulator{launch}.Simulate(c.Implementation, doc.Profile, call, indices, bins)
	} else {
		s.US, err = simulated(cfg, indices, bins)
	}
	if err != nil {
		return err
	}
	doc.Simulated = &s
	if c.LowUS != nil {
		doc.Warnings = append(doc.Warnings, s.Against(c.Implementation, *c.LowUS, *c.HighUS)...)
	}
	return nil
}

// simulated returns the time of a call whose results are right.
func simulated(c hwsim.Config, indices []uint32, bins uint64) (us float64, err error) {
	r, err := hwsim.Run(c, indices, bins)
	if err == nil && !r.Correct {
		err = errWrongSums
	}
	return r.US, err
}

// simulateDocument is a simulated call. It lacks what single updates or rows alone have, and what a sample
// does not tell is null.
type simulateDocument struct {
	File string `json:"file"`
	input.Taken
	Device           string             `json:"device"`
	Type             string             `json:"type"`                 // of the targets
	ValueType        string             `json:"value_type,omitempty"` // of rows
	Width            uint64             `json:"width,omitempty"`      // of rows
	Value            string             `json:"value,omitempty"`
	Op               device.Op          `json:"op,omitzero"`
	Returns          *bool              `json:"returns,omitempty"`
	Clear            bool               `json:"clear"`
	Implementation   any                `json:"implementation"`
	Launch           device.Shape       `json:"launch"` // all 0 where there are several kernels
	Seed             uint64             `json:"seed"`
	Bins             uint64             `json:"bins"`
	Sampled          *bool              `json:"sampled,omitempty"` // of rows
	Cycles           uint64             `json:"cycles"`
	US               float64            `json:"us"`
	Updates          uint64             `json:"updates"`
	WarpInstructions *uint64            `json:"warp_instructions"`
	Events           *uint64            `json:"events"`
	WallS            float64            `json:"wall_s"`
	Correct          bool               `json:"correct"`
	HostUS           *float64           `json:"host_us,omitempty"` // the part of US that the host takes
	Kernels          []hwsim.KernelTime `json:"kernels"`           // the launches
	Warnings         []string           `json:"warnings"`
	profile          *device.Profile    // for its title
	stream           string             // with its order
	words, bin       string             // what each update does, and to what
}

// errWrongSums reports a simulated call whose results are not those of the updates.
var errWrongSums = errors.New("the simulated results are wrong")

// printSimulation prints the result, and fails if the sums are wrong.
func printSimulation(e *env, doc simulateDocument) error {
	err := report.EmitPage(e, doc, func(p *report.Page) {
		p.Field("stream", "%s: %s of %s", doc.stream, report.Counted(doc.Updates, "update"),
			report.Counted(doc.Bins, doc.bin))
		p.Field("device", "%s, %s", doc.profile.Title, doc.words)
		row := report.Row{doc.Implementation, doc.Launch, doc.US, doc.Cycles, "", "", doc.WallS, report.YesNo(doc.Correct)}
		if doc.Events != nil {
			row[4], row[5] = *doc.WarpInstructions, *doc.Events
		} else {
			p.Field("sample", "%s", "the time of the whole is estimated from two samples of it")
		}
		p.WriteByte('\n')
		report.Cells(p, "implementation|?launch|>time (us)|>cycles|>warp instructions|??>events|???>wall (s)|correct",
			[]report.Row{row})
		if len(doc.Kernels) > 0 {
			p.WriteByte('\n')
			report.Table(p, "kernel|>cycles", doc.Kernels, func(k hwsim.KernelTime) report.Row {
				return report.Row{k.Name, k.Cycles}
			})
		}
	})
	if err == nil && !doc.Correct {
		return fmt.Errorf("%s: %v on %s: %w", doc.File, doc.Implementation, doc.Device, errWrongSums)
	}
	return err
}
