package main

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/dispatch/grow"
	"github.com/atomtune/atomtune/tuner/model"
)

// The targets of train.
const (
	targetModel    = "model"
	targetDispatch = "dispatch"
)

// dispatchFlags are those that train --target dispatch takes, besides those of every command.
var dispatchFlags = []string{"target", "device", "out", "journal", "workers", "points", "seed",
	"min-updates", "max-updates", "max-bins", "short-updates", "line", "json"}

// checkTarget reports whether a decision tree is wanted, and refuses flags that it does not take.
func (f *trainFlags) checkTarget(args []string) (tree bool, err error) {
	if f.target == targetModel {
		return false, nil
	}
	if f.target != targetDispatch {
		return false, command.Usagef("train --target %s: want %s", f.target,
			input.List([]string{targetModel, targetDispatch}))
	}
	f.flags.Visit(func(flag *pflag.Flag) {
		if err == nil && !slices.Contains(dispatchFlags, flag.Name) {
			err = command.Usagef("--%s does not go with train --target dispatch", flag.Name)
		}
	})
	switch {
	case err != nil:
		return false, err
	case len(args) > 0:
		return false, command.Usagef("train --target dispatch takes no argument, but got %q", args[0])
	case f.out == "":
		return false, command.Usagef("train --target dispatch needs --out, the file to write")
	}
	return true, input.Apart([]input.FlagFile{{Flag: "out", Path: f.out},
		{Flag: "journal", Path: f.collect.Journal}}, nil)
}

// dispatchSweep is the sweep of the embedded trees with what flags change of it.
func (f *trainFlags) dispatchSweep() model.Sweep {
	s := grow.DefaultSweep()
	changed := pflag.NewFlagSet("", pflag.ContinueOnError)
	defaults := s
	registerSweep(changed, &s)
	s = defaults
	changed.VisitAll(func(flag *pflag.Flag) {
		if given := f.flags.Lookup(flag.Name); given.Changed {
			_ = flag.Value.Set(given.Value.String()) // it was read from such a flag
		}
	})
	return s
}

// trainDispatch grows a decision tree until the context ends.
func trainDispatch(ctx context.Context, e *env, d *device.Profile, f *trainFlags) error {
	if err := wholefile.Writable(f.out); err != nil {
		return err
	}
	start, sweep := e.Now(), f.dispatchSweep()
	f.keep(e)
	progress := report.NewBar(e, "measuring streams", int64(sweep.Points), report.UnitsDefault)
	streams, err := grow.Collect(ctx, sweep, f.collect.Journal, f.collect.Workers,
		func(done int) { progress.SetOf(int64(done), int64(sweep.Points)) })
	if err != nil {
		progress.Cut()
	}
	progress.Stop()
	if err != nil {
		return err
	}
	t, err := grow.Tree(ctx, d, streams, grow.DefaultOptions())
	if err != nil {
		return err
	}
	data, err := t.Encode()
	if err != nil {
		return err
	}
	if err := f.written(wholefile.Write(f.out, data)); err != nil {
		return err
	}
	doc := dispatchTrainDocument{Device: d.Name, Streams: len(streams), Seed: sweep.Seed,
		Journal: f.collect.Journal, Tree: f.out, Nodes: len(t.Nodes), Actions: t.Actions,
		Evaluation: t.Evaluation, ElapsedS: e.Now().Sub(start).Seconds()}
	return e.Emit(doc, func(w *bytes.Buffer) { printDispatchTraining(w, &doc) })
}

type dispatchTrainDocument struct {
	Device     string              `json:"device"`
	Streams    int                 `json:"streams"`
	Seed       uint64              `json:"seed"`
	Journal    string              `json:"journal,omitempty"`
	Tree       string              `json:"tree"`
	Nodes      int                 `json:"nodes"`
	Actions    []dispatch.Action   `json:"actions"`
	Evaluation dispatch.Evaluation `json:"evaluation"`
	ElapsedS   float64             `json:"elapsed_s"`
}

func printDispatchTraining(w *bytes.Buffer, doc *dispatchTrainDocument) {
	report.Fprintf(w, "%s: %s streams, seed %d, in %s s\n", doc.Device, report.Count(doc.Streams),
		doc.Seed, report.Number(doc.ElapsedS))
	if doc.Journal != "" {
		report.Fprintf(w, "journal: %s\n", doc.Journal)
	}
	report.Fprintf(w, "tree: %s, %d nodes, %d actions\n", doc.Tree, doc.Nodes, len(doc.Actions))
	var names []string
	for _, a := range doc.Actions {
		names = append(names, a.String())
	}
	report.Fprintf(w, "actions: %s\n\ntime of the choice over the best time:\n\n",
		strings.Join(names, "; "))
	cells := func(name string, l dispatch.Loss) report.Row {
		return report.Row{name, l.GeometricMean, l.P90, l.Max}
	}
	report.Cells(w, "choices|>geometric mean|>p90|>max", []report.Row{
		cells("tree", doc.Evaluation.Known),
		cells("tree grown without the family", doc.Evaluation.FamilyOut),
		cells("best of its actions", doc.Evaluation.Actions),
		cells("always one action", doc.Evaluation.OneAction),
	})
}
