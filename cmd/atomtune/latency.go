package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/prediction"
	"github.com/atomtune/atomtune/internal/wholefile"
)

var spaces = []string{"shared"}

type latencyFlags struct {
	input.WordFlags
	files             input.WholeFiles
	space, patterns   string
	explain, simulate bool
}

func newLatency(e *env) *cobra.Command {
	var f latencyFlags
	cmd := newCommand("latency --patterns FILE",
		command.AtMost(0, "latency takes no argument, but got %q; a file of patterns comes with --patterns"))
	f.Register(cmd)
	f.files.Register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.space, "space", spaces[0], "`memory` that holds the words: ")
	flags.StringVar(&f.patterns, "patterns", "", "`file` of patterns (- is standard input)")
	flags.BoolVar(&f.explain, "explain", false,
		fmt.Sprintf("show the terms and draw the rounds, at most %s", report.Count(mostRounds)))
	flags.BoolVar(&f.simulate, "simulate", false, "simulate each pattern too")
	input.OneOf(cmd, "space", spaces)
	input.Require(cmd, "patterns")
	cmd.RunE = command.Action(func(*cobra.Command, []string) error { return predict(e, f) })
	return cmd
}

// mostRounds is how many rounds are drawn, which take kilobytes each as JSON: at least one a pattern.
const mostRounds = 1 << 16

func predict(e *env, f latencyFlags) error {
	if f.space != spaces[0] {
		return command.Usagef("unknown space %q (want one of %s)", f.space, input.List(spaces))
	}
	operation, d, err := f.Load()
	if err != nil {
		return err
	}
	var simulator prediction.Simulator
	if f.simulate {
		if simulator, err = hwsim.NewScratchpad(d, operation, f.Type); err != nil {
			return err
		}
	}
	doc, err := prediction.New(d, operation, f.Type, simulator)
	if err != nil {
		return err
	}
	name, data, err := f.files.Read(e, f.patterns)
	if err != nil {
		return err
	}
	all, err := patterns.Read(bytes.NewReader(data), name, int(d.Core.WarpLanes.Value),
		wordsOf(d, f.Type))
	if err != nil {
		return err
	}
	doc.Warnings = e.Warn(d.Doubts()...)
	progress := report.NewBar(e, "predicting", int64(len(all)), report.UnitsDefault)
	defer progress.Stop()
	rounds := 0
	for i, pattern := range all {
		if err := doc.Predict(pattern, f.explain); err != nil {
			return err
		}
		if rounds += max(1, len(doc.Predictions[i].Rounds)); f.explain && rounds > mostRounds {
			return fmt.Errorf("%s: %w: its first %d patterns have more than %d rounds, the most that --explain "+
				"draws: leave it out, or use a smaller file", name, wholefile.ErrLarge, i+1, mostRounds)
		}
		progress.Set(int64(i))
	}
	progress.Stop()
	return report.EmitPage(e, doc, func(p *report.Page) {
		if f.explain {
			doc.Explain(func(beginning, text string) { p.Item(beginning, "%s", text) })
		} else {
			doc.PrintCycles(p)
		}
	})
}

// wordsOf returns how many words of type t a block's shared memory has.
func wordsOf(d *device.Profile, t device.Type) int {
	return int(d.Shared.BytesPerBlock.Value) / t.Bytes()
}
