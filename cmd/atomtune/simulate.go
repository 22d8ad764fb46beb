package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/variant"
)

// slowUpdates is the length from which a simulation takes long.
const slowUpdates = 16_000_000

const simulateLong = `simulate runs one implementation over an index stream on a simulated device,
event by event, and checks what it leaves in the targets. The time us is that of one
call on the device; wall_s is the time that the simulation took here.

Parts of an implementation's name take parameters: private:r=4,pad=1,map=block for
copies, sr:t=T for the lanes from which a run is reduced, vr:m=M,t=T for the
addresses that are sampled and the lanes from which one is reduced. The thresholds
that suit a device are in the output of devices NAME.`

// simulateFlags are the flags of simulate alone.
type simulateFlags struct {
	impl   string
	seed   uint64
	limit  uint64
	relaid bool
}

func newSimulate(e *env) *cobra.Command {
	var (
		stream streamFlags
		call   callFlags
		flags  simulateFlags
	)
	cmd := &cobra.Command{
		Use:   "simulate --impl NAME FILE",
		Short: "Simulate one implementation over an index stream",
		Long:  simulateLong + "\n\n" + families(),
		Example: `  atomtune simulate --impl naive indices.npy
  atomtune simulate --device c2075 --impl private:r=8,pad=1 --value one image.png
  atomtune simulate --json --impl sort --max-updates 1000 indices.npy`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("simulate takes one FILE, but got %q too", args[1])
			}
			return files(cmd, args)
		},
	}
	call.register(cmd)
	stream.register(cmd, e)
	cmd.Flags().StringVar(&flags.impl, "impl", "", "`name` of the implementation: parts of "+list(variant.Names())+" joined by +")
	cmd.Flags().Uint64Var(&flags.seed, "seed", 0, "`seed` of the values that updates bring")
	cmd.Flags().BoolVar(&flags.relaid, "relaid", false, "updates arrive re-laid already, so that ss costs no host time")
	cmd.Flags().Uint64Var(&flags.limit, "max-updates", 0, "simulate the first `N` updates only (0: all)")
	if err := cmd.MarkFlagRequired("impl"); err != nil {
		panic(err) // the flag was registered above
	}
	completeFlag(cmd, "impl", variantNames())
	cmd.RunE = action(func(_ *cobra.Command, args []string) error {
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

func (e *env) simulate(path string, call *callFlags, stream streamFlags, flags simulateFlags) error {
	d, err := device.Load(call.device)
	if err != nil {
		return err
	}
	v, err := variant.Parse(flags.impl)
	if err != nil {
		return err
	}
	s, err := e.load(path, stream.options, flags.limit)
	if err != nil {
		return err
	}
	doc := simulateDocument{
		File: s.name, Device: d.Name, Type: call.call.Type, Value: call.call.Operand, Op: call.call.Op, Returns: call.call.Returns,
		Implementation: v, Seed: flags.seed, Bins: s.bins, Warnings: s.warnings(), profile: d,
	}
	for _, text := range doc.Warnings {
		e.Note("warning: %s", text)
	}
	config := hwsim.Config{Device: d, Call: call.call, Variant: v, Seed: flags.seed, Relaid: flags.relaid}
	result, wall, err := e.timedRun(config, s)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	doc.fill(result, wall)
	return e.report(doc)
}

func (e *env) timedRun(config hwsim.Config, s loaded) (hwsim.Result, time.Duration, error) {
	progress := e.newBar("simulating "+config.Variant.String(), 0, unitsDefault)
	progress.show()
	defer progress.stop()
	start := e.Now()
	run := hwsim.Run
	if config.Variant.Base == variant.Coordinator {
		run = runCoordinator
	}
	result, err := run(config, s.indices, s.bins)
	return result, e.Now().Sub(start), err
}
