package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/tuner"
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
		measure.Options.Padded, measure.Options.Rows = stream.Options.Ignore != "", stream.Width > 0
		if err := measure.Options.Validate(); err != nil {
			return err
		}
		return input.Each(e, args, func(path string) (doc *tuner.Stream, err error) {
			src, err := input.Open(e, path, stream)
			if err != nil {
				return nil, err
			}
			defer func() { err = errors.Join(src.Named(err), src.Close()) }()
			m, _, err := src.Count(measure.Options)
			if err != nil {
				return nil, err
			}
			return &m.Stream, nil
		}, choice.PrintStream)
	})
	return cmd
}
