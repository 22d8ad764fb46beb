package main

import (
	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/analysis"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
)

func newAnalyze(e *env) *cobra.Command {
	var (
		stream  input.StreamFlags
		measure input.MeasureFlags
		name    string
	)
	cmd := newCommand("analyze FILE...", input.Files)
	stream.RegisterTaken(cmd, e.Stdin)
	measure.Register(cmd)
	stream.RegisterWidth(cmd)
	input.RegisterDevice(cmd, &name)
	cmd.Flags().IntVar(&measure.Options.WarpSize, "warp", 0,
		"`lanes` of a warp (0: those of the device)")
	cmd.Flags().IntVar(&measure.Options.BlockSize, "block", 0,
		"`threads` of a block, a multiple of the warp (0: 256)")
	cmd.RunE = command.Action(func(cmd *cobra.Command, args []string) error {
		if err := stream.CheckWidth(cmd.Flags().Changed); err != nil {
			return err
		}
		d, err := device.Load(name)
		if err != nil {
			return err
		}
		if measure.Options.WarpSize == 0 {
			measure.Options.WarpSize = int(d.Core.WarpLanes.Value)
		}
		how := input.Measuring{In: stream, How: measure.Options}
		return input.Each(e, args, func(path string) (input.StreamDocument, error) {
			s, err := how.Measure(e, path)
			return s.StreamDocument, err
		}, analysis.Print)
	})
	return cmd
}
