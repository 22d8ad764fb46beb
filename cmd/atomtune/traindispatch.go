package main

import (
	"bytes"
	"strings"

	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/dispatch/grow"
	"github.com/atomtune/atomtune/tuner/model"
)

// dispatchSweep is the sweep of the embedded trees with what flags change of it.
func (f *trainFlags) dispatchSweep() model.Sweep {
	var s model.Sweep
	changed := pflag.NewFlagSet("", pflag.ContinueOnError)
	registerSweep(changed, &s)
	s = grow.DefaultSweep()
	changed.VisitAll(func(flag *pflag.Flag) {
		if given := f.flags.Lookup(flag.Name); given.Changed {
			_ = flag.Value.Set(given.Value.String()) // it was read from such a flag
		}
	})
	return s
}

// trainDispatch grows a decision tree.
func trainDispatch(e *env, d *device.Profile, f *trainFlags) error {
	start, sweep := e.Now(), f.dispatchSweep()
	f.keep(e)
	progress := report.NewBar(e, "measuring streams", int64(grow.Points(sweep)), report.UnitsDefault)
	streams, err := grow.Collect(e.Context(), sweep, f.collect.Checkpoint, f.collect.Workers,
		func(done int) { progress.SetOf(int64(done), int64(grow.Points(sweep))) })
	if err != nil {
		progress.Cut()
	}
	progress.Stop()
	if err != nil {
		return err
	}
	t, err := grow.Tree(e.Context(), d, streams, grow.DefaultOptions())
	if err != nil {
		return err
	}
	if err := f.write(t.Encode()); err != nil {
		return err
	}
	doc := dispatchTrainDocument{Device: d.Name, Streams: len(streams), Seed: sweep.Seed,
		Checkpoint: f.collect.Checkpoint, Tree: f.out, Nodes: len(t.Nodes), Candidates: t.Candidates,
		Evaluation: t.Evaluation, ElapsedS: e.Now().Sub(start).Seconds()}
	return e.Emit(doc, func(w *bytes.Buffer) { printDispatchTraining(w, &doc) })
}

type dispatchTrainDocument struct {
	Device     string               `json:"device"`
	Streams    int                  `json:"streams"`
	Seed       uint64               `json:"seed"`
	Checkpoint string               `json:"journal,omitempty"`
	Tree       string               `json:"tree"`
	Nodes      int                  `json:"nodes"`
	Candidates []dispatch.Candidate `json:"actions"`
	Evaluation dispatch.Evaluation  `json:"evaluation"`
	ElapsedS   float64              `json:"elapsed_s"`
}

func printDispatchTraining(w *bytes.Buffer, doc *dispatchTrainDocument) {
	report.Fprintf(w, "%s: %s streams, seed %d, in %s s\n", doc.Device, report.Count(doc.Streams),
		doc.Seed, report.Number(doc.ElapsedS))
	if doc.Checkpoint != "" {
		report.Fprintf(w, "checkpoint: %s\n", doc.Checkpoint)
	}
	report.Fprintf(w, "tree: %s, %d nodes, %d candidates\n", doc.Tree, doc.Nodes, len(doc.Candidates))
	var names []string
	for _, a := range doc.Candidates {
		names = append(names, a.String())
	}
	report.Fprintf(w, "candidates: %s\n\ntime of the choice over the best time:\n\n",
		strings.Join(names, "; "))
	cells := func(name string, l dispatch.Loss) report.Row {
		return report.Row{name, l.GeometricMean, l.P90, l.Max}
	}
	report.Cells(w, "choices|>geometric mean|>p90|>max", []report.Row{
		cells("tree", doc.Evaluation.Known),
		cells("tree grown without the family", doc.Evaluation.FamilyOut),
		cells("best of its candidates", doc.Evaluation.Candidates),
		cells("always one candidate", doc.Evaluation.OneCandidate),
	})
}
