package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/cmd/atomtune/internal/rowchoice"
	"github.com/atomtune/atomtune/cmd/atomtune/internal/simulation"
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
	f.rows.Register(cmd, &f.call.Call.Type)
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
		switch ofRows, err := f.rows.Asked(cmd); {
		case err != nil:
			return err
		case ofRows:
			call, err := f.rows.Call(cmd.Flags(), f.call.Call.Keeps)
			if err != nil {
				return err
			}
			return simulation.Request{Device: f.call.Device, Implementation: f.impl, Call: call,
				Stream: f.stream, Seed: f.seed}.Answer(e, args[0])
		}
		return simulate(e, args[0], f)
	})
	return cmd
}

func simulate(e *env, path string, f simulateFlags) error {
	d, err := device.Load(f.call.Device)
	if err != nil {
		return err
	}
	v, err := variant.Parse(f.impl)
	if err != nil {
		return err
	}
	if err := d.CanLaunch(variant.Variant{}, f.call.Call.Type, 1, f.launch.Launch); err != nil {
		return command.Usagef("--launch %s: %v", f.launch.Launch, err)
	}
	s, err := input.LoadWhole(e, path, f.stream, "no lane without one is simulated")
	if err != nil {
		return err
	}
	warnings := s.Simulation(e, hwsim.MaxBins)
	for _, text := range model.ProfileNotes(d) {
		e.Note("warning: %s", text)
		warnings = append(warnings, text)
	}
	progress := report.NewBar(e, "simulating "+v.String(), 0, report.UnitsDefault)
	progress.Show()
	defer progress.Stop()
	start := e.Now()
	r, err := hwsim.Run(hwsim.Config{Device: d, Call: f.call.Call, Variant: v, Seed: f.seed,
		Relaid: f.relaid, Launch: f.launch.Launch}, s.Indices, s.Bins)
	if err != nil {
		return fmt.Errorf("%s: %w", s.File, err)
	}
	wall := e.Now().Sub(start).Seconds()
	progress.Stop()
	shape := d.Limits().Shape(v, f.call.Call.Type, s.Bins, r.Updates, f.launch.Launch)
	return printSimulation(e, simulateDocument{
		File: s.File, Taken: s.Taken, Device: d.Name, Call: choice.NewCall(f.call.Call),
		Implementation: v,
		Launch:         shape, Seed: f.seed, Bins: s.Bins, Cycles: r.Cycles, US: r.US, Updates: r.Updates,
		WarpInstructions: r.WarpInstructions, Events: r.Events, WallS: wall, Correct: r.Correct,
		HostUS: r.HostUS, Kernels: r.Kernels, Warnings: warnings, profile: d, stream: s.Title(),
	})
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
	progress := report.NewBar(e, "simulating "+c.Implementation.String(), 0, report.UnitsDefault)
	progress.Show()
	defer progress.Stop()
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
	if c.LowUS != nil && (s.US < *c.LowUS || *c.HighUS < s.US) {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("%s takes %s us as simulated and %s to %s us as "+
			"predicted: one of them is wrong on this stream", c.Implementation, report.Number(s.US),
			report.Number(*c.LowUS), report.Number(*c.HighUS)))
	}
	return nil
}

// simulated returns the time of a call whose results are right.
func simulated(c hwsim.Config, indices []uint32, bins uint64) (us float64, err error) {
	r, err := hwsim.Run(c, indices, bins)
	if err == nil && !r.Correct {
		err = simulation.ErrWrongSums
	}
	return r.US, err
}

type simulateDocument struct {
	File string `json:"file"`
	input.Taken
	Device string `json:"device"`
	choice.Call
	Implementation   variant.Variant `json:"implementation"`
	Launch           device.Shape    `json:"launch"` // all 0 where there are several kernels
	Seed             uint64          `json:"seed"`
	Bins             uint64          `json:"bins"`
	Cycles           uint64          `json:"cycles"`
	US               float64         `json:"us"`
	Updates          uint64          `json:"updates"`
	WarpInstructions uint64          `json:"warp_instructions"`
	Events           uint64          `json:"events"`
	WallS            float64         `json:"wall_s"`
	Correct          bool            `json:"correct"`
	// HostUS is the part of US that the host takes, Kernels the launches.
	HostUS   float64            `json:"host_us"`
	Kernels  []hwsim.KernelTime `json:"kernels"`
	Warnings []string           `json:"warnings"`
	profile  *device.Profile    // for its title
	stream   string             // with its order
}

// printSimulation prints the result, and fails if the sums are wrong.
func printSimulation(e *env, doc simulateDocument) error {
	err := report.EmitPage(e, doc, func(p *report.Page) {
		p.Field("stream", "%s: %s of %s", doc.stream, report.Counted(doc.Updates, "update"),
			report.Counted(doc.Bins, "target"))
		p.Field("device", "%s, %s", doc.profile.Title, doc.Call)
		p.WriteByte('\n')
		titles := "implementation|?launch|>time (us)|>cycles|>warp instructions|??>events|" +
			"???>wall (s)|correct"
		report.Cells(p, titles, []report.Row{{doc.Implementation, doc.Launch, doc.US, doc.Cycles,
			doc.WarpInstructions, doc.Events, doc.WallS, report.YesNo(doc.Correct)}})
		p.WriteByte('\n')
		simulation.PrintKernels(p, doc.Kernels)
	})
	if err == nil && !doc.Correct {
		return fmt.Errorf("%s: %s on %s: %w", doc.File, doc.Implementation, doc.Device, simulation.ErrWrongSums)
	}
	return err
}
