package main

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/lab/validate/choices"
	"github.com/atomtune/atomtune/lab/validate/leaveoneout"
	"github.com/atomtune/atomtune/lab/validate/online"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/model"
)

type tunerDocument struct {
	Subject string `json:"subject"`
	choices.TunerReport
}

func (e *env) validateTuner(f validateFlags) (err error) {
	if f.tuner.Archive = recorded.Archive(f.gpu); f.tuner.Archive == nil {
		return command.Usagef("--gpu %s: no calls of that GPU are recorded", f.gpu)
	}
	gpu, err := f.tuner.Archive.Profile()
	if err != nil {
		return err
	}
	if f.model != "" {
		if f.tuner.Model, err = model.Load(f.model); err != nil {
			return err
		}
	}
	if f.speed {
		checks, err := choices.TunerSpeed(f.tuner.Archive, f.tuner.Model)
		return e.emitChecks("tuner", checks, err)
	}
	doc := tunerDocument{Subject: "tuner"}
	if doc.TunerReport, err = e.judge(f.tuner); err != nil {
		return err
	}
	if f.applications {
		if err := leaveoneout.SimulateApplications(e.Context(), doc.Published); err != nil {
			return err
		}
	}
	if err := e.Emit(doc, func(w *bytes.Buffer) { printTuner(w, gpu.Title, doc) }); err != nil {
		return err
	}
	return notValid(doc.Subject, doc.Failed)
}

func printTuner(w *bytes.Buffer, gpu string, doc tunerDocument) {
	learned := "no choice learned from measured calls (intervals are, on the fit part)"
	if doc.Intervals != nil {
		learned = "with intervals of " + report.Counted(doc.Intervals.Points, "measured point") +
			": checks of what they hold are not enforced"
	}
	report.Fprintf(w, "choices on the %s, %s\n"+
		"time of the choice over the best measured time: geometric mean, 90th percentile, maximum\n",
		gpu, learned)
	if len(doc.NotMeasured) > 0 {
		report.Fprintf(w, "left out, since nothing was measured of them: %v\n", doc.NotMeasured)
	}
	for _, p := range doc.Parts {
		title := fmt.Sprintf("%s: %s, %s with each kind of call",
			p.Part, report.Counted(p.Streams, "stream"), report.Count(p.Questions))
		section(w, title, "60:rule|>all|>from 2^18 updates|>not measured", p.Rules,
			func(r choices.RuleLoss) report.Row {
				return report.Row{r.Rule, losses(r.Loss), losses(r.Long), r.Unmeasured}
			})
	}
	printGroups(w, doc.Parts[0].Part, "kind of call", doc.Parts[0].ByType)
	printGroups(w, doc.Parts[0].Part, "family", doc.Parts[0].ByFamily)
	section(w, "the best implementation's time over the floor, from 2^20 updates",
		"streams|>calls|>over the floor", doc.Portfolio, func(r choices.PortfolioRow) report.Row {
			return report.Row{r.Group, r.Over.Points, losses(r.Over)}
		})
	printTimes(w, doc.Parts)
	printOnline(w, doc.Online)
	for _, p := range doc.Parts {
		printWorst(w, p)
	}
	printModels(w, doc.Models)
	printIntervals(w, doc.Models)
	printLeaveOneOut(w, doc.LeaveOneOut, doc.Published)
	w.WriteByte('\n')
	printChecks(w, validateDocument{Subject: doc.Subject, Checks: doc.Checks, Failed: doc.Failed})
	printEnd(w, doc.Failed, nil, "")
}

// section prints a table below its title.
func section[T any](
	w *bytes.Buffer, title, columns string, items []T, cells func(T) report.Row,
) {
	report.Fprintf(w, "\n%s\n\n", title)
	report.Table(w, columns, items, cells)
}

func printGroups(w *bytes.Buffer, part, by string, groups []choices.GroupLoss) {
	section(w, part+", by "+by, by+"|>choices|>atomtune|>closed forms alone", groups,
		func(g choices.GroupLoss) report.Row {
			return report.Row{g.Group, g.Choice.Points, losses(g.Choice), losses(g.ClosedForm)}
		})
}

func printTimes(w *bytes.Buffer, parts []choices.TunerPart) {
	var rows []report.Row
	for _, p := range parts {
		for i, e := range []choices.TimeError{p.Choice, p.All} {
			rows = append(rows, report.Row{p.Part, []string{"choices", "all"}[i], e.Times,
				inPercent(e.MedianPercent), inPercent(e.P90Percent), inPercentOr(e.CoveredPercent),
				decimals(e.LnRMSE, 3), decimals(e.ClosedLnRMSE, 3)})
		}
	}
	section(w, "predicted times: error in % of the measured time, share of measured times in "+
		"the 90 % interval", "streams|of|>times|>median|>p90|>in interval|>ln error (rms)|"+
		">of closed forms", rows,
		func(r report.Row) report.Row { return r })
}

func printWorst(w *bytes.Buffer, p choices.TunerPart) {
	if len(p.Worst) == 0 {
		return
	}
	section(w, p.Part+": the worst choices", "70:stream|kind of call|>loss|choice|"+
		">predicted (us)|>measured (us)|best|>predicted (us)|>measured (us)", p.Worst,
		func(c choices.WorstChoice) report.Row {
			predicted := "-"
			if c.BestPredictedUS > 0 {
				predicted = report.Number(c.BestPredictedUS)
			}
			return report.Row{c.Stream, c.Kind, c.Loss, c.Choice, c.PredictedUS, c.MeasuredUS,
				c.Best, predicted, c.BestMeasuredUS}
		})
}

func printModels(w *bytes.Buffer, models []choices.ModelLoss) {
	section(w, "models on simulated points of families that their trees had not seen",
		"device|>leaves|>points|>tree|>closed forms alone|>always naive", models,
		func(m choices.ModelLoss) report.Row {
			e := m.Evaluation
			return report.Row{m.Device, m.Leaves, m.Points, losses(e.Tree), losses(e.ClosedForm), losses(e.Naive)}
		})
}

// printIntervals says of what calls intervals are, and what choices among these lose.
func printIntervals(w *bytes.Buffer, models []choices.ModelLoss) {
	models = slices.DeleteFunc(slices.Clone(models),
		func(m choices.ModelLoss) bool { return m.Intervals == nil })
	section(w, "90 % intervals of recorded over predicted times, of the fit half, and what choices among its calls lose",
		"device|>streams|>naive|>reduced-collision|>non-atomic|>tree|>closed forms alone", models,
		func(m choices.ModelLoss) report.Row {
			row := report.Row{m.Device, m.Intervals.Streams}
			for _, c := range m.Intervals.Classes {
				row = append(row, decimals(c.Low, 3)+" to "+decimals(c.High, 3))
			}
			return append(row, losses(m.Intervals.Tree), losses(m.Intervals.ClosedForm))
		})
}

func printLeaveOneOut(
	w *bytes.Buffer, rows []leaveoneout.OffOptimal, paper []leaveoneout.PaperOff,
) {
	section(w, "leave-one-out: how much longer the choice takes than the best, in %",
		"device|without the|60:rule|>inputs|>mean|>worst|>right choices", rows,
		func(r leaveoneout.OffOptimal) report.Row {
			return report.Row{r.Device, r.Held, r.Rule, r.Inputs, inPercent(r.MeanPercent),
				inPercent(r.WorstPercent), inPercent(r.RightPercent)}
		})
	section(w, "[egielski14] Tables 1 to 3: off optimal, in %; inputs simulated here are not "+
		"the paper's", "table|device|benchmark|>inputs|>published|>simulated", paper,
		func(r leaveoneout.PaperOff) report.Row {
			simulated := "-"
			if r.SimulatedPercent != nil {
				simulated = decimals(*r.SimulatedPercent, 2)
			}
			return report.Row{r.Table, r.Device, r.Benchmark, r.Inputs, decimals(r.Percent, 2), simulated}
		})
}

func printOnline(w *bytes.Buffer, rows []online.OnlineRow) {
	section(w, "held-out half, repeated launches: their time over that of as many of the best fixed "+
		"implementation", "60:rule|>launches|>loss|>stated regret (launches)|>beyond it", rows,
		func(r online.OnlineRow) report.Row {
			lost, beyond := "-", "-"
			if s := r.Stated; s != nil {
				lost = fmt.Sprintf("%s + %.4g %%", report.Number(s.LostLaunches), 100*s.Epsilon)
				beyond = fmt.Sprintf("%d of %d", s.Beyond, r.Questions)
			}
			return report.Row{r.Rule, r.Launches, losses(r.Loss), lost, beyond}
		})
}
