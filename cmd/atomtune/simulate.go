package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

type simulateFlags struct {
	stream input.StreamFlags
	call   input.CallFlags
	impl   string
	launch launchFlag
	seed   uint64
	limit  uint64
	relaid bool
}

// relaidUsage is the usage of --relaid.
const relaidUsage = "updates arrive re-laid already, so that ss costs no host time"

func newSimulate(e *env) *cobra.Command {
	var f simulateFlags
	cmd := &cobra.Command{
		Use:   "simulate --impl NAME FILE",
		Short: "Simulate one implementation over an index stream",
		Args:  cobra.MatchAll(input.Files, command.AtMost(1, "simulate takes one FILE, but got %q too")),
	}
	explain(cmd)
	cmd.Long += "\n\n" + input.Families()
	f.call.Register(cmd)
	f.stream.Register(cmd, e.Stdin)
	f.stream.RegisterTaken(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.impl, "impl", "",
		"`name` of the implementation: parts of "+input.List(variant.Names())+" joined by +")
	f.launch.register(flags, "launch the main kernel so")
	flags.Uint64Var(&f.seed, "seed", 0, "`seed` of the values that updates bring")
	flags.BoolVar(&f.relaid, "relaid", false, relaidUsage)
	flags.Uint64Var(&f.limit, "max-updates", 0, "simulate the first `N` updates only (0: all)")
	input.Require(cmd, "impl")
	input.CompleteFlag(cmd, "impl", input.Names(append(variant.Candidates(),
		variant.Sized()...)))
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
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
	s, err := input.Load(e, path, f.stream.Options, f.limit)
	if err != nil {
		return err
	}
	if err := s.Whole("no lane without one is simulated"); err != nil {
		return err
	}
	warnings := s.Warnings()
	for _, text := range warnings {
		e.Note("warning: %s", text)
	}
	progress := report.NewBar(e, "simulating "+v.String(), 0, report.UnitsDefault)
	progress.Show()
	defer progress.Stop()
	start := e.Now()
	r, err := run(hwsim.Config{Device: d, Call: f.call.Call, Variant: v, Seed: f.seed,
		Relaid: f.relaid, Launch: f.launch.Launch}, s.Indices, s.Bins)
	if err != nil {
		return fmt.Errorf("%s: %w", s.File, err)
	}
	wall := e.Now().Sub(start).Seconds()
	progress.Stop()
	shape := d.Limits().Shape(v, f.call.Call.Type, s.Bins, r.Updates, f.launch.Launch)
	return printSimulation(e, simulateDocument{
		File: s.File, Taken: s.Taken, Device: d.Name,
		callDocument: newCallDocument(f.call.Call), Implementation: v,
		Launch: shape, Seed: f.seed, Bins: s.Bins, Cycles: r.Cycles, US: r.US, Updates: r.Updates,
		WarpInstructions: r.WarpInstructions, Events: r.Events, WallS: wall, Correct: r.Correct,
		HostUS: r.HostUS, Kernels: r.Kernels, Warnings: warnings, profile: d, stream: s.Title(),
	})
}

// mostSimulated is the length of the streams that choose --simulate simulates as a whole, as
// simulate does; the times of longer ones are estimated from samples.
const mostSimulated = 1 << 23

// simulatedChoice is the simulated time of a choice, with the interval in which a device's time
// lies that is no further from it than model.SimulationError.
type simulatedChoice struct {
	US float64 `json:"us"`
	// Estimated: from samples of the stream.
	Estimated bool `json:"estimated"`

	LowUS  float64 `json:"low_us"`
	HighUS float64 `json:"high_us"`
}

// simulate adds the simulated time of the choice, and a warning where its interval does not meet
// that of the predicted time.
func (doc *chooseDocument) simulate(e *env, indices []uint32, bins uint64) error {
	c := doc.Choice
	progress := report.NewBar(e, "simulating "+c.Implementation.String(), 0, report.UnitsDefault)
	progress.Show()
	defer progress.Stop()
	call := device.Call{Type: doc.callDocument.Type, Operand: doc.Value, Op: doc.callDocument.Op,
		Returns: doc.Returns, Keeps: !doc.Clear}
	var launch device.Launch
	if doc.Constraints.Launch != nil || doc.Constraints.SearchLaunch { // else that of the rule
		s := doc.Ranking[0].Launch
		launch = device.Launch{Blocks: s.Blocks, Threads: s.Threads, Unroll: s.Unroll}
	}
	cfg := hwsim.Config{Device: doc.profile, Call: call, Variant: c.Implementation, Launch: launch,
		Relaid: doc.Constraints.Relaid}
	s := simulatedChoice{Estimated: len(indices) > mostSimulated}
	var err error
	if s.Estimated {
		s.US, err = simulator{launch}.Simulate(c.Implementation, doc.profile, call, indices, bins)
	} else {
		s.US, err = simulated(cfg, indices, bins)
	}
	if err != nil {
		return err
	}
	s.LowUS, s.HighUS = s.US*math.Exp(-model.SimulationError), s.US*math.Exp(model.SimulationError)
	doc.Simulated = &s
	if s.HighUS < c.LowUS || c.HighUS < s.LowUS {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("%s takes %s to %s us as simulated and %s to "+
			"%s us as predicted: one of them is wrong on this stream", c.Implementation,
			report.Number(s.LowUS), report.Number(s.HighUS), report.Number(c.LowUS),
			report.Number(c.HighUS)))
	}
	return nil
}

// run simulates a call of any implementation.
func run(c hwsim.Config, indices []uint32, bins uint64) (hwsim.Result, error) {
	if coordinator.Simulates(c.Variant) {
		return runCoordinator(c, indices, bins)
	}
	return hwsim.Run(c, indices, bins)
}

// simulated returns the time of a call whose results are right.
func simulated(c hwsim.Config, indices []uint32, bins uint64) (us float64, err error) {
	r, err := run(c, indices, bins)
	if err == nil && !r.Correct {
		err = errWrongSums
	}
	return r.US, err
}

// runCoordinator simulates a call of `coordinator`, whose workgroups are no kernel programs.
func runCoordinator(c hwsim.Config, indices []uint32, bins uint64) (hwsim.Result, error) {
	if err := c.Device.CanLaunch(c.Variant, c.Call.Type, 1, c.Launch); err != nil {
		return hwsim.Result{}, err
	}
	r, err := coordinator.Call{Device: c.Device, Call: c.Call, Seed: c.Seed}.Run(indices, bins)
	if err != nil {
		return hwsim.Result{}, err
	}
	result := hwsim.Result{Cycles: r.Cycles, US: r.US, Updates: r.Updates,
		WarpInstructions: r.Instructions, Events: r.Events, Correct: r.Correct}
	for _, l := range r.Launches {
		result.Kernels = append(result.Kernels, hwsim.KernelTime{Name: l.Name, Cycles: l.Cycles})
	}
	return result, nil
}

// errWrongSums reports a simulated kernel whose results are not those of the updates.
var errWrongSums = errors.New("the simulated results are wrong")

type simulateDocument struct {
	File string `json:"file"`
	input.Taken
	Device string `json:"device"`
	callDocument
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
	err := e.Emit(doc, func(w *bytes.Buffer) {
		fmt.Fprintf(w, "%s: %s updates of %s targets\ndevice: %s, %s\n\n", doc.stream,
			report.Count(doc.Updates), report.Count(doc.Bins), doc.profile.Title, doc.callDocument)
		titles := "implementation|blocks x threads|>time (us)|>cycles|>warp instructions|>events|" +
			">wall (s)|correct"
		report.Cells(w, titles, []report.Row{{doc.Implementation, doc.Launch, doc.US, doc.Cycles,
			doc.WarpInstructions, doc.Events, doc.WallS, report.YesNo(doc.Correct)}})
		w.WriteByte('\n')
		report.Table(w, "launch|>cycles", doc.Kernels, func(k hwsim.KernelTime) report.Row {
			return report.Row{k.Name, k.Cycles}
		})
	})
	if err == nil && !doc.Correct {
		return fmt.Errorf("%s: %s on %s: %w", doc.File, doc.Implementation, doc.Device, errWrongSums)
	}
	return err
}
