package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

type simulateFlags struct {
	stream input.StreamFlags
	call   input.CallFlags
	impl   string
	launch launchFlag
	seed   uint64
	relaid bool
}

func newSimulate(e *env) *cobra.Command {
	var f simulateFlags
	cmd := newCommand("simulate --impl NAME FILE",
		cobra.MatchAll(input.Files, command.AtMost(1, "simulate takes one FILE, but got %q too")))
	f.call.Register(cmd, &f.stream)
	f.stream.RegisterTaken(cmd, e.Stdin)
	flags := cmd.Flags()
	flags.StringVar(&f.impl, "impl", "",
		"`name` of the implementation: parts of "+input.List(impl.Names())+" joined by +; of rows "+
			"naive, runs, hot or hot:s=S, sort")
	flags.Var(&f.launch, "launch", "launch the main kernel so: "+launchSpellings)
	flags.Uint64Var(&f.seed, "seed", 0, "`seed` of the operands of updates")
	flags.BoolVar(&f.relaid, "relaid", false, choice.RelaidUsage)
	input.Require(cmd, "impl")
	command.CompleteFlag(cmd, "impl", input.Names(impl.Ranked()))
	cmd.RunE = command.Action(func(cmd *cobra.Command, args []string) error {
		d, err := device.Load(f.call.Device)
		if err != nil {
			return err
		}
		cfg, err := f.config(d, flags.Changed)
		if err != nil {
			return err
		}
		doc := f.document(&cfg)
		return doc.simulate(e, args[0], f.stream, cfg)
	})
	return cmd
}

// config returns the simulation that the flags ask for.
func (f *simulateFlags) config(d *device.Profile, given func(flag string) bool) (cfg hwsim.Config, err error) {
	if err := f.call.Finish(&f.stream, given); err != nil {
		return cfg, err
	}
	cfg = hwsim.Config{Device: d, Call: f.call.Call, Seed: f.seed, Relaid: f.relaid, Launch: f.launch.one()}
	if cfg.Implementation, err = cfg.Call.Parse(f.impl); err != nil {
		return cfg, err
	}
	if cfg.Call.Wide() {
		return cfg, d.CanCall(cfg.Implementation, cfg.Call, 1)
	}
	if err := d.CanLaunch(impl.Spec{}, cfg.Call.Type, 1, cfg.Launch); err != nil {
		return cfg, command.Usagef("--launch %s: %v", cfg.Launch, err)
	}
	return cfg, nil
}

// document describes the call.
func (f *simulateFlags) document(cfg *hwsim.Config) simulateDocument {
	c := cfg.Call
	doc := simulateDocument{Device: cfg.Device.Name, Type: c.Type, Width: c.Width, Op: c.Op, Clear: !c.Keeps,
		Implementation: cfg.Implementation, Seed: cfg.Seed, words: c.Words(), bin: "target"}
	if c.Wide() {
		doc.ValueType, doc.bin, doc.Sampled = c.ValueType().String(), "row", new(bool)
	} else {
		doc.Value, doc.Returns = c.Operand.String(), &c.Returns
	}
	return doc
}

// simulate simulates the call on the stream of the path and prints what comes out.
func (doc *simulateDocument) simulate(e *env, path string, in input.StreamFlags, cfg hwsim.Config) error {
	s, err := input.LoadWhole(e, path, in, "inactive lanes are not simulated")
	if err != nil {
		return err
	}
	doc.File, doc.Taken, doc.stream, doc.Bins = s.File, s.Taken, s.Title(), s.Bins()
	doc.Warnings = append(s.Simulation(e, hwsim.MaxBins), e.Warn(model.ProfileNotes(cfg.Device)...)...)
	cfg.Call = s.Of(cfg.Call)
	stop := simulating(e, doc.Implementation)
	defer stop()
	start := e.Now()
	r, sampled, err := run(cfg, s.Indices, s.Bins(), math.MaxUint64)
	if err != nil {
		return fmt.Errorf("%s: %w", s.File, err)
	}
	doc.Launch = cfg.Device.Limits().Shape(cfg.Implementation, cfg.Call, s.Bins(), r.Updates, cfg.Launch)
	doc.WallS = e.Now().Sub(start).Seconds()
	stop()
	doc.Cycles, doc.US, doc.Updates, doc.Correct = r.Cycles, r.US, r.Updates, r.Correct
	doc.Kernels = append([]hwsim.KernelTime{}, r.Kernels...)
	if cfg.Call.Wide() {
		doc.Sampled = &sampled
	} else {
		doc.HostUS = &r.HostUS
	}
	if !sampled {
		doc.WarpInstructions, doc.Events = &r.WarpInstructions, &r.Events
	}
	return printSimulation(e, *doc, cfg.Device)
}

// mostElements of rows are simulated as a whole, and of the single updates of a choice mostSimulated; the time of
// longer calls is estimated from samples.
const (
	mostElements  = 1 << 24
	mostSimulated = 1 << 23
)

// run simulates a call, or of one of more single updates samples, which only give its time.
func run(c hwsim.Config, indices []uint32, bins, most uint64) (r hwsim.Result, sampled bool, err error) {
	if c.Call.Wide() {
		most = mostElements
	}
	if uint64(len(indices))*max(1, c.Call.Width) <= most {
		r, err = hwsim.Run(c, indices, bins)
		return r, false, err
	}
	us, err := hwsim.Estimate(c, indices, bins)
	return hwsim.Result{US: us, Cycles: uint64(us*c.Device.Core.Clock.Value + 0.5),
		Updates: uint64(len(indices)), Correct: true}, true, err
}

// simulating shows that a simulation goes on, until stop.
func simulating(e *env, implementation impl.Spec) (stop func()) {
	progress := report.NewBar(e, fmt.Sprintf("simulating %v", implementation), 0, report.UnitsDefault)
	progress.Show()
	return progress.Stop
}

// simulateChoice adds the simulated time of the choice.
func simulateChoice(e *env, doc *choice.Document, of *input.Source) error {
	c, part := doc.Choice, *of
	part.Indices = of.Indices[:min(len(of.Indices), mostSimulated)]
	part.Simulation(e, hwsim.MaxBins)
	defer simulating(e, c.Implementation)()
	call := doc.Call.Of
	var launch device.Launch
	if !call.Wide() && (doc.Constraints.Launch != nil || doc.Constraints.SearchLaunch) { // else that of the rule
		launch = doc.Ranking[0].Launch.Launch()
	}
	cfg := hwsim.Config{Device: doc.Profile, Call: call, Implementation: c.Implementation, Launch: launch,
		Relaid: doc.Constraints.Relaid, Coarse: true}
	r, estimated, err := run(cfg, of.Indices, of.Bins(), mostSimulated)
	if err == nil && !r.Correct {
		err = errWrongSums
	}
	doc.Simulated = &choice.Simulated{US: r.US, Estimated: estimated}
	return err
}

// simulateDocument is a simulated call. It lacks what single updates or rows alone have, and what a sample
// does not determine is null.
type simulateDocument struct {
	File string `json:"file"`
	tuner.Taken
	Device           string             `json:"device"`
	Type             device.Type        `json:"type"`                 // of the targets
	ValueType        string             `json:"value_type,omitempty"` // of rows
	Width            uint64             `json:"width,omitempty"`      // of rows
	Value            string             `json:"value,omitempty"`
	Op               device.Op          `json:"op,omitzero"`
	Returns          *bool              `json:"returns,omitempty"`
	Clear            bool               `json:"clear"`
	Implementation   impl.Spec          `json:"implementation"`
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
	stream           string             // with its order
	words, bin       string             // what each update does, and to what
}

// errWrongSums reports a simulated call whose results are not those of the updates.
var errWrongSums = errors.New("the simulated results are wrong")

// printSimulation prints the result, and fails if the sums are wrong.
func printSimulation(e *env, doc simulateDocument, d *device.Profile) error {
	err := report.EmitPage(e, doc, func(p *report.Page) {
		p.Field("stream", "%s: %s of %s", doc.stream, report.Counted(doc.Updates, "update"),
			report.Counted(doc.Bins, doc.bin))
		p.Field("device", "%s, %s", d.Title, doc.words)
		row := report.Row{doc.Implementation, doc.Launch, doc.US, doc.Cycles, "", "", doc.WallS,
			report.YesNo(doc.Correct)}
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
