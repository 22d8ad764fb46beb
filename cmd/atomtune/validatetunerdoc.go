package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/validate"
)

func printTuner(w *bytes.Buffer, doc tunerDocument) {
	fmt.Fprintf(w, "choices on an NVIDIA H200, %s\n", trainedOn(doc.MeasuredPoints))
	w.WriteString("time of the choice over the best measured time: geometric mean, 90th percentile, maximum\n")
	for _, p := range doc.Parts {
		printPart(w, p)
	}
	printGroups(w, doc.Parts[0])
	printTimes(w, doc.Parts)
	printCurve(w, doc.Curve)
	printOnline(w, doc.Online)
	for _, p := range doc.Parts {
		printWorst(w, p)
	}
	printModels(w, doc.Models)
	printLearners(w, doc.Learners)
	printOffOptimal(w, doc.LeaveOneOut)
	printPublished(w, doc.Published)
	w.WriteByte('\n')
	printChecks(w, validateDocument{Subject: doc.Subject, Checks: doc.Checks, Failed: doc.Failed})
	for _, f := range doc.Failed {
		fmt.Fprintf(w, "failed: %s\n", f)
	}
	if len(doc.Written) > 0 {
		fmt.Fprintf(w, "written: %s\n", strings.Join(doc.Written, ", "))
	}
}

// trainedOn says what of the measured has been learned from.
func trainedOn(points int) string {
	if points == 0 {
		return "no choice learned from measured calls (the width of intervals is set on the fit part)"
	}
	return fmt.Sprintf("by a model that has seen %s: its checks on recorded calls hold it to nothing", counted(points, "measured point"))
}

// printPart prints what each rule loses on a part of the streams.
func printPart(w *bytes.Buffer, p validate.TunerPart) {
	fmt.Fprintf(w, "\n%s: %s, %s with each kind of call\n\n", p.Part, counted(p.Streams, "stream"), count(uint64(p.Questions)))
	t := newTable(column{title: "rule", width: 60}, column{title: "all", right: true}, column{title: "from 2^18 updates", right: true},
		column{title: "not measured", right: true})
	for _, r := range p.Rules {
		t.AppendRow(table.Row{r.Rule, lossOrNone(r.Loss), lossOrNone(r.Long), count(uint64(r.Unmeasured))})
	}
	printTable(w, t)
}

func lossOrNone(l model.Loss) string {
	if l.Points == 0 {
		return "-"
	}
	return losses(l)
}

// printGroups prints the losses by kind of call and by family.
func printGroups(w *bytes.Buffer, p validate.TunerPart) {
	for _, by := range []struct {
		title  string
		groups []validate.GroupLoss
	}{{"kind of call", p.ByType}, {"family", p.ByFamily}} {
		fmt.Fprintf(w, "\n%s, by %s\n\n", p.Part, by.title)
		t := newTable(column{title: by.title}, column{title: "choices", right: true}, column{title: "atomtune", right: true},
			column{title: "closed forms alone", right: true})
		for _, g := range by.groups {
			t.AppendRow(table.Row{g.Group, count(uint64(g.Choice.Points)), losses(g.Choice), losses(g.ClosedForm)})
		}
		printTable(w, t)
	}
}

// printTimes prints how predicted times lie to measured ones.
func printTimes(w *bytes.Buffer, parts []validate.TunerPart) {
	w.WriteString("\npredicted times: error in % of the measured time, share of measured times in the 90 % interval\n\n")
	t := newTable(column{title: "streams"}, column{title: "of"}, column{title: "times", right: true},
		column{title: "median", right: true}, column{title: "p90", right: true}, column{title: "in interval", right: true})
	for _, p := range parts {
		for _, e := range []struct {
			of string
			validate.TimeError
		}{{"choices", p.Choice}, {"all", p.All}} {
			t.AppendRow(table.Row{p.Part, e.of, count(uint64(e.Times)), inPercent(e.MedianPercent), inPercent(e.P90Percent), inPercent(e.CoveredPercent)})
		}
	}
	printTable(w, t)
}

// printCurve prints what measured points were worth.
func printCurve(w *bytes.Buffer, curve []validate.CurvePoint) {
	w.WriteString("\nheld-out half, corrected by measured points of the other half (mean over the draws)\n\n")
	t := newTable(column{title: "points", right: true}, column{title: "streams", right: true}, column{title: "draws", right: true},
		column{title: "mean loss", right: true}, column{title: "p90", right: true}, column{title: "max", right: true},
		column{title: "median error (%)", right: true}, column{title: "in interval (%)", right: true})
	for _, p := range curve {
		t.AppendRow(table.Row{count(uint64(p.Points)), count(uint64(p.Streams)), count(uint64(p.Draws)),
			fmt.Sprintf("%.3f", p.Mean.GeometricMean), fmt.Sprintf("%.2f", p.Mean.P90), fmt.Sprintf("%.2f", p.Mean.Max),
			inPercent(p.Mean.MedianErrorPercent), inPercent(p.Mean.CoveredPercent)})
	}
	printTable(w, t)
}

// printWorst prints the choices that lose most, where they are shown.
func printWorst(w *bytes.Buffer, p validate.TunerPart) {
	if len(p.Worst) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s: the worst choices\n\n", p.Part)
	t := newTable(column{title: "stream", width: 70}, column{title: "kind of call"}, column{title: "loss", right: true},
		column{title: "choice"}, column{title: "predicted (us)", right: true}, column{title: "measured (us)", right: true},
		column{title: "best"}, column{title: "predicted (us)", right: true}, column{title: "measured (us)", right: true})
	for _, c := range p.Worst {
		predicted := "-"
		if c.BestPredictedUS > 0 {
			predicted = number(c.BestPredictedUS)
		}
		t.AppendRow(table.Row{c.Stream, c.Kind, number(c.Loss), c.Choice, number(c.PredictedUS), number(c.MeasuredUS),
			c.Best, predicted, number(c.BestMeasuredUS)})
	}
	printTable(w, t)
}

// printModels prints what the embedded models lose on their own points.
func printModels(w *bytes.Buffer, models []validate.ModelLoss) {
	w.WriteString("\nmodels on simulated points that their trees had not seen\n\n")
	t := newTable(column{title: "device"}, column{title: "points", right: true}, column{title: "held out", right: true},
		column{title: "family out", right: true}, column{title: "closed forms alone", right: true}, column{title: "always naive", right: true},
		column{title: "nothing screened", right: true}, column{title: "screening", right: true}, column{title: "in interval", right: true})
	for _, m := range models {
		e := m.Evaluation
		t.AppendRow(table.Row{m.Device, count(uint64(m.Points)), losses(e.HeldOut), losses(e.FamilyOut), losses(e.ClosedForm), losses(e.Naive),
			lossOrNone(e.Complete), lossOrNone(e.Screening), inPercent(100 * e.ChoiceCoverage)})
	}
	printTable(w, t)
}

// printOffOptimal prints how far choices are from the best that were learned
// from other inputs.
func printOffOptimal(w *bytes.Buffer, rows []validate.OffOptimal) {
	w.WriteString("\nleave-one-out: how much longer the choice takes than the best, in %\n\n")
	t := newTable(column{title: "device"}, column{title: "times"}, column{title: "without the"}, column{title: "rule", width: 60},
		column{title: "inputs", right: true}, column{title: "mean", right: true}, column{title: "worst", right: true}, column{title: "right choices", right: true})
	for _, r := range rows {
		t.AppendRow(table.Row{r.Device, r.Times, r.Held, r.Rule, count(uint64(r.Inputs)),
			inPercent(r.MeanPercent), inPercent(r.WorstPercent), inPercent(r.RightPercent)})
	}
	printTable(w, t)
}

// printPublished prints what [egielski14] reports, and what its applications
// come to where they were simulated.
func printPublished(w *bytes.Buffer, rows []validate.PaperOff) {
	w.WriteString("\n[egielski14] Tables 1 to 3: off optimal, in %; inputs simulated here are not the paper's\n\n")
	t := newTable(column{title: "table"}, column{title: "device"}, column{title: "benchmark"}, column{title: "inputs", right: true},
		column{title: "published", right: true}, column{title: "simulated", right: true})
	for _, r := range rows {
		simulated := "-"
		if r.SimulatedPercent != nil {
			simulated = fmt.Sprintf("%.2f", *r.SimulatedPercent)
		}
		t.AppendRow(table.Row{r.Table, r.Device, r.Benchmark, count(uint64(r.Inputs)), fmt.Sprintf("%.2f", r.Percent), simulated})
	}
	printTable(w, t)
}
