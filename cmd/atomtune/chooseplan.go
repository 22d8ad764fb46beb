package main

import (
	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner/plan"
)

// planFlags say where choose keeps its choice as a plan, and for calls with which indices.
type planFlags struct{ path, index string }

func (f *planFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.path, "save-plan", "",
		input.AtMost(plan.MostBytes, "keep the choice as a plan in this `file`, for programs that look it up"))
	flags.StringVar(&f.index, "index", plan.U32.String(),
		"`type` of the indices of the calls that look the plan up: u32, i32, u64, i64")
}

// check refuses flags that make no plan, and a file that cannot be written.
func (f *planFlags) check(given func(flag string) bool) error {
	if given("index") && f.path == "" {
		return command.Usagef("--index goes with --save-plan")
	}
	if _, err := plan.ParseIndex(f.index); err != nil {
		return command.Usagef("--index: %v", err)
	}
	return wholefile.Writable(f.path)
}

// save keeps the choice for a stream.
func (f *planFlags) save(doc *choice.Document, call device.Call, s input.Loaded) error {
	index, err := plan.ParseIndex(f.index)
	if err != nil {
		return err
	}
	first := doc.Ranking[0]
	return plan.Save(f.path, plan.Plan{
		Key: plan.NewKey(doc.Profile.Title, call, index, uint64(len(s.Indices)), s.Bins,
			func(i uint64) uint32 { return s.Indices[i] }),
		Implementation: first.Implementation, Launch: first.Launch.Launch(),
	})
}
