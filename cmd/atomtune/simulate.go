package main

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/variant"
)

const simulateLong = `simulate runs one implementation over an index stream on a simulated device,
event by event, and checks what it leaves in the targets. The time us is that of one
call on the device; wall_s is the time that the simulation took here.

Parts of an implementation's name take parameters: private:r=4,pad=1,map=block for
copies, sr:t=T for the lanes from which a run is reduced, vr:m=M,t=T for the
addresses that are sampled and the lanes from which one is reduced. The thresholds
that suit a device are in the output of devices NAME.`

type simulateFlags struct {
	impl   string
	seed   uint64
	limit  uint64
	relaid bool
}

func newSimulate(e *env) *cobra.Command {
	var (
		stream input.StreamFlags
		call   input.CallFlags
		flags  simulateFlags
	)
	cmd := &cobra.Command{
		Use:   "simulate --impl NAME FILE",
		Short: "Simulate one implementation over an index stream",
		Long:  simulateLong + "\n\n" + input.Families(),
		Example: `  atomtune simulate --impl naive indices.npy
  atomtune simulate --device c2075 --impl private:r=8,pad=1 --value one image.png
  atomtune simulate --json --impl sort --max-updates 1000 indices.npy`,
		Args: cobra.MatchAll(input.Files, command.AtMost(1, "simulate takes one FILE, but got %q too")),
	}
	call.Register(cmd)
	stream.Register(cmd, e.Stdin)
	cmd.Flags().StringVar(&flags.impl, "impl", "", "`name` of the implementation: parts of "+input.List(variant.Names())+" joined by +")
	cmd.Flags().Uint64Var(&flags.seed, "seed", 0, "`seed` of the values that updates bring")
	cmd.Flags().BoolVar(&flags.relaid, "relaid", false, "updates arrive re-laid already, so that ss costs no host time")
	cmd.Flags().Uint64Var(&flags.limit, "max-updates", 0, "simulate the first `N` updates only (0: all)")
	if err := cmd.MarkFlagRequired("impl"); err != nil {
		panic(err) // the flag was registered above
	}
	input.CompleteFlag(cmd, "impl", variantNames())
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
		return e.simulate(args[0], &call, stream, flags)
	})
	return cmd
}

func variantNames() []string {
	var names []string
	for _, v := range variant.Candidates() {
		names = append(names, v.String())
	}
	return names
}

func (e *env) simulate(path string, call *input.CallFlags, stream input.StreamFlags, flags simulateFlags) error {
	d, err := device.Load(call.Device)
	if err != nil {
		return err
	}
	v, err := variant.Parse(flags.impl)
	if err != nil {
		return err
	}
	s, err := input.Load(&e.Env, path, stream.Options, flags.limit)
	if err != nil {
		return err
	}
	doc := simulateDocument{
		File: s.File, Device: d.Name, callDocument: newCallDocument(call.Call),
		Implementation: v, Seed: flags.seed, Bins: s.Bins, Warnings: s.Warnings(), profile: d,
	}
	for _, text := range doc.Warnings {
		e.Note("warning: %s", text)
	}
	config := hwsim.Config{Device: d, Call: call.Call, Variant: v, Seed: flags.seed, Relaid: flags.relaid}
	result, wall, err := e.timedRun(config, s)
	if err != nil {
		return fmt.Errorf("%s: %w", s.File, err)
	}
	doc.Cycles, doc.US, doc.HostUS, doc.Updates = result.Cycles, result.US, result.HostUS, result.Updates
	doc.WarpInstructions, doc.Events, doc.Kernels = result.WarpInstructions, result.Events, result.Kernels
	doc.WallS, doc.Correct = wall.Seconds(), result.Correct
	return e.report(doc)
}

func (e *env) timedRun(config hwsim.Config, s input.Loaded) (hwsim.Result, time.Duration, error) {
	progress := report.NewBar(&e.Env, "simulating "+config.Variant.String(), 0, report.UnitsDefault)
	progress.Show()
	defer progress.Stop()
	start := e.Now()
	run := hwsim.Run
	if coordinator.Simulates(config.Variant) {
		run = runCoordinator
	}
	result, err := run(config, s.Indices, s.Bins)
	return result, e.Now().Sub(start), err
}

// runCoordinator simulates a call of the implementation `coordinator`, whose
// workgroups are processes and no kernel programs.
func runCoordinator(config hwsim.Config, indices []uint32, bins uint64) (hwsim.Result, error) {
	r, err := coordinator.Call{Device: config.Device, Call: config.Call, Seed: config.Seed}.Run(indices, bins)
	if err != nil {
		return hwsim.Result{}, err
	}
	result := hwsim.Result{
		Cycles: r.Cycles, US: r.US, Updates: r.Updates, WarpInstructions: r.Instructions, Events: r.Events, Correct: r.Correct,
	}
	for _, l := range r.Launches {
		result.Kernels = append(result.Kernels, hwsim.KernelTime{Name: l.Name, Cycles: l.Cycles})
	}
	return result, nil
}

// errWrongSums reports a simulated kernel whose results are not those of the
// updates.
var errWrongSums = errors.New("the simulated results are wrong")

type simulateDocument struct {
	File   string `json:"file"`
	Device string `json:"device"`
	callDocument
	Implementation   variant.Variant `json:"implementation"`
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
}

// report prints the result, and fails if the sums are wrong.
func (e *env) report(doc simulateDocument) error {
	if err := e.Emit(doc, func(w *bytes.Buffer) { printSimulation(w, doc) }); err != nil {
		return err
	}
	if !doc.Correct {
		return fmt.Errorf("%s: %s on %s: %w", doc.File, doc.Implementation, doc.Device, errWrongSums)
	}
	return nil
}

func printSimulation(w *bytes.Buffer, doc simulateDocument) {
	fmt.Fprintf(w, "%s: %s updates of %s targets\n", doc.File, report.Count(doc.Updates), report.Count(doc.Bins))
	fmt.Fprintf(w, "device: %s, %s\n\n", doc.profile.Title, doc.callDocument)
	report.Cells(w, "implementation|>time (us)|>cycles|>warp instructions|>events|>wall (s)|correct",
		[]report.Row{{doc.Implementation, doc.US, doc.Cycles, doc.WarpInstructions, doc.Events,
			doc.WallS, report.YesNo(doc.Correct)}})
	w.WriteByte('\n')
	report.Table(w, "launch|>cycles", doc.Kernels, func(k hwsim.KernelTime) report.Row {
		return report.Row{k.Name, k.Cycles}
	})
}
