package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/parts"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/validate/choices"
	"github.com/atomtune/atomtune/lab/validate/learners"
	"github.com/atomtune/atomtune/lab/validate/leaveoneout"
	"github.com/atomtune/atomtune/lab/validate/online"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/model"
)

type tunerDocument struct {
	Subject string `json:"subject"`
	choices.TunerReport
	Written []string `json:"written"`
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
	doc, err := e.judgeTuner(f, gpu)
	if err != nil {
		return err
	}
	if err := e.Emit(doc, func(w *bytes.Buffer) { printTuner(w, gpu.Title, doc) }); err != nil {
		return err
	}
	return notValid(doc.Subject, doc.Failed)
}

// tunerPart is how far judging has come, or the simulated time of an application, as the journal beside
// the figure keeps them.
type tunerPart struct {
	Judged *choices.Progress `json:"judged,omitempty"`
	Run    string            `json:"run,omitempty"`
	Time   float64           `json:"time,omitempty"`
}

// judgeTuner makes the report, and the figure if there is to be one.
func (e *env) judgeTuner(f validateFlags, gpu *device.Profile) (doc tunerDocument, err error) {
	doc = tunerDocument{Subject: "tuner", Written: []string{}}
	kept, err := e.tunerParts(f, gpu)
	if err != nil {
		return doc, err
	}
	defer func() { err = errors.Join(err, kept.End(err == nil)) }()
	times := map[string]float64{}
	for _, p := range kept.Done {
		if p.Judged != nil {
			f.tuner.Known = *p.Judged
		} else {
			times[p.Run] = p.Time
		}
	}
	memo := papers.NewMemo(times)
	if f.figure != "" {
		keep := func(p tunerPart) error { return cmp.Or(e.Context().Err(), kept.Keep(p)) }
		f.tuner.Keep = func(p choices.Progress) error { return keep(tunerPart{Judged: &p}) }
		memo.Record = func(run string, time float64) error { return keep(tunerPart{Run: run, Time: time}) }
	}
	if doc.TunerReport, err = e.judge(f.tuner); err != nil {
		return doc, err
	}
	if f.applications {
		if err := leaveoneout.SimulateApplications(e.Context(), doc.Published, memo); err != nil {
			return doc, err
		}
	}
	if f.figure != "" {
		doc.Written, err = drawn(f.figure, choices.CurveFigure(gpu.Title, doc.Curve))
	}
	return doc, err
}

// tunerParts opens the journal beside the figure; without one there is none.
func (e *env) tunerParts(f validateFlags, gpu *device.Profile) (*parts.Parts[tunerPart], error) {
	files := slices.Clone(f.tuner.Journals)
	if f.model != "" {
		files = append(files, f.model)
	}
	made, err := learners.LearnersFingerprint(files...)
	if err == nil && f.figure != "" {
		err = wholefile.Writable(f.figure + ".svg")
	}
	if err != nil {
		return nil, err
	}
	return parts.Open[tunerPart](&e.Env, f.figure, "choices on "+gpu.Name+" by files "+made)
}

type learnersDocument struct {
	Table    string                `json:"table"`
	Learners []learners.LearnerRow `json:"learners"`
}

func (e *env) compareLearners(f validateFlags) (err error) {
	if len(f.tuner.Journals) == 0 {
		return command.Usagef("--learners compares on the sweeps of --journal: name one at least")
	}
	if err := wholefile.Writable(f.learners); err != nil {
		return err
	}
	made, err := learners.LearnersFingerprint(f.tuner.Journals...)
	if err != nil {
		return err
	}
	kept, err := parts.Open[learners.DeviceRows](&e.Env, f.learners, "learners on sweeps "+made)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.End(err == nil)) }()
	progress := report.NewBar(&e.Env, "comparing learners", 0, report.UnitsDefault)
	defer progress.Stop()
	tell := func(done, total int) { progress.SetOf(int64(done), int64(total)) }
	fingerprint, rows, err := learners.MakeLearners(e.Context(), tell, kept.Done, kept.Keep, f.tuner.Journals...)
	if err == nil {
		err = learners.WriteLearners(f.learners, fingerprint, rows)
	}
	if err != nil {
		return err
	}
	return e.Emit(learnersDocument{f.learners, rows}, func(w *bytes.Buffer) { printLearners(w, rows) })
}

func printTuner(w *bytes.Buffer, gpu string, doc tunerDocument) {
	learned := "no choice learned from measured calls (times and intervals are, on the fit part)"
	if doc.MeasuredPoints > 0 {
		learned = "by a model that has seen " + report.Counted(doc.MeasuredPoints, "measured point") +
			": its checks on recorded calls hold it to nothing"
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
	printCurve(w, doc.Curve)
	printOnline(w, doc.Online)
	for _, p := range doc.Parts {
		printWorst(w, p)
	}
	printModels(w, doc.Models)
	printGates(w, doc.Models)
	printLearners(w, doc.Learners)
	printLeaveOneOut(w, doc.LeaveOneOut, doc.Published)
	w.WriteByte('\n')
	printChecks(w, validateDocument{Subject: doc.Subject, Checks: doc.Checks, Failed: doc.Failed})
	printEnd(w, doc.Failed, doc.Written, "")
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
				inPercent(e.MedianPercent), inPercent(e.P90Percent), inPercent(e.CoveredPercent),
				decimals(e.LnRMSE, 3), decimals(e.ClosedLnRMSE, 3)})
		}
	}
	section(w, "predicted times: error in % of the measured time, share of measured times in "+
		"the 90 % interval", "streams|of|>times|>median|>p90|>in interval|>ln error (rms)|"+
		">of closed forms", rows,
		func(r report.Row) report.Row { return r })
}

func printCurve(w *bytes.Buffer, points []choices.CurvePoint) {
	section(w, "held-out half, corrected by measured points of the other half (mean over the draws)",
		">points|>streams|>draws|>mean loss|>p90|>max|>median error (%)|>in interval (%)",
		points, func(p choices.CurvePoint) report.Row {
			m := p.Mean
			return report.Row{p.Points, p.Streams, p.Draws, decimals(m.GeometricMean, 3),
				decimals(m.P90, 2), decimals(m.Max, 2), inPercent(m.MedianErrorPercent),
				inPercent(m.CoveredPercent)}
		})
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
	section(w, "models on simulated points that their trees had not seen",
		"device|>points|>held out|>family out|>closed forms alone|>always naive|>nothing screened|"+
			">screening|>in interval", models, func(m choices.ModelLoss) report.Row {
			e := m.Evaluation
			return report.Row{m.Device, m.Points, losses(e.HeldOut), losses(e.FamilyOut),
				losses(e.ClosedForm), losses(e.Naive), losses(e.Complete), losses(e.Screening),
				inPercent(100 * e.ChoiceCoverage)}
		})
}

// printGates says what decided about corrections by recorded calls.
func printGates(w *bytes.Buffer, models []choices.ModelLoss) {
	models = slices.DeleteFunc(slices.Clone(models),
		func(m choices.ModelLoss) bool { return m.Calibration == nil })
	section(w, "trees learned from recorded calls, on families that they had not seen",
		"device|>trees|>ln error before|>ln error|>choices before|>choices by them|>in interval|"+
			">of choices|choices go by them", models, func(m choices.ModelLoss) report.Row {
			c := m.Calibration
			return report.Row{m.Device, c.Trees, c.Before.RMSE, c.After.RMSE, losses(c.Before.Loss),
				losses(c.Ranked), inPercent(100 * c.Coverage), inPercent(100 * c.ChoiceCoverage),
				fmt.Sprint(c.Ranks)}
		})
}

func printLeaveOneOut(
	w *bytes.Buffer, rows []leaveoneout.OffOptimal, paper []leaveoneout.PaperOff,
) {
	section(w, "leave-one-out: how much longer the choice takes than the best, in %",
		"device|times|without the|60:rule|>inputs|>mean|>worst|>right choices", rows,
		func(r leaveoneout.OffOptimal) report.Row {
			return report.Row{r.Device, r.Times, r.Held, r.Rule, r.Inputs, inPercent(r.MeanPercent),
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

func printLearners(w *bytes.Buffer, rows []learners.LearnerRow) {
	for len(rows) > 0 {
		first := rows[0]
		end := slices.IndexFunc(rows, func(r learners.LearnerRow) bool {
			return r.Device != first.Device || r.Judge != first.Judge
		})
		if end < 0 {
			end = len(rows)
		}
		section(w, "learners on "+first.Device+", "+first.Judge,
			"learner|>fitted on|>judged on|>loss|>ln error, rmse|>p90", rows[:end],
			func(r learners.LearnerRow) report.Row {
				rmse, p90 := "-", "-"
				if r.Error != nil {
					rmse, p90 = decimals(r.Error.RMSE, 3), decimals(r.Error.P90, 3)
				}
				return report.Row{r.Learner, r.Samples, r.Loss.Points, losses(r.Loss), rmse, p90}
			})
		rows = rows[end:]
	}
}
