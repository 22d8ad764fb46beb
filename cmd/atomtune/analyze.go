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
	cmd := &cobra.Command{
		Use:   "analyze FILE...",
		Short: "Measure how the updates of an index stream collide",
		Args:  input.Files,
	}
	explain(cmd)
	command.Append(cmd, input.Families())
	stream.Register(cmd, e.Stdin)
	stream.RegisterTaken(cmd)
	measure.Register(cmd)
	stream.Rows.Register(cmd)
	input.RegisterDevice(cmd, &name)
	cmd.Flags().IntVar(&measure.Options.WarpSize, "warp", 0,
		"`lanes` of a warp (0: those of the device)")
	cmd.Flags().IntVar(&measure.Options.BlockSize, "block", 0,
		"`threads` of a block, a multiple of the warp (0: 256)")
	cmd.RunE = command.Action(func(cmd *cobra.Command, args []string) error {
		if _, err := stream.Rows.Given(cmd); err != nil {
			return err
		}
		d, err := device.Load(name)
		if err != nil {
			return err
		}
		if measure.Options.WarpSize == 0 {
			measure.Options.WarpSize = int(d.Core.WarpLanes.Value)
		}
		return input.Each(e, args, func(path string) (doc input.StreamDocument, err error) {
			doc, _, err = input.Measure(e, path, stream, measure.Options, false)
			return doc, err
		}, analysis.Print)
	})
	return cmd
}
