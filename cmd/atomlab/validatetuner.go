package main

import (
	"bytes"
	"context"
	"fmt"
	"os/signal"
	"strings"
	"syscall"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/validate/choices"
	"github.com/atomtune/atomtune/lab/validate/curve"
	"github.com/atomtune/atomtune/lab/validate/learners"
	"github.com/atomtune/atomtune/lab/validate/leaveoneout"
	"github.com/atomtune/atomtune/lab/validate/online"
	"github.com/atomtune/atomtune/tuner/model"
)

// tunerFlags are the flags of validate tuner.
type tunerFlags struct {
	model, learners string
	applications    bool
	options         choices.TunerOptions
}

func (f *tunerFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "", "tuner: `file` of a trained model of the H200 (default: the built-in one)")
	flags.StringArrayVar(&f.options.Journals, "journal", nil, "tuner: `file` of a finished sweep, as train keeps it (repeat)")
	flags.StringVar(&f.learners, "learners", "", "tuner: compare learners on the sweeps of --journal (minutes each) and write the table to this `file`")
	flags.BoolVar(&f.options.Worst, "worst", false, "tuner: list the worst choices of the held-out half too, which nobody should tune to")
	flags.BoolVar(&f.applications, "applications", false, "tuner: simulate the applications of [egielski14] Tables 1 to 3 too")
}

// tunerDocument is what validate tuner prints.
type tunerDocument struct {
	Subject string `json:"subject"`
	choices.TunerReport
	Written []string `json:"written"`
}

func (e *env) validateTuner(f tunerFlags, speed bool, figure string) (err error) {
	if f.learners != "" {
		return e.compareLearners(f)
	}
	if f.model != "" {
		if f.options.Model, err = model.Load(f.model); err != nil {
			return err
		}
	}
	if speed {
		return e.timeTuner(f.options.Model)
	}
	doc := tunerDocument{Subject: "tuner", Written: []string{}}
	if doc.TunerReport, err = choices.Tuner(f.options); err != nil {
		return err
	}
	if f.applications {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		if err := leaveoneout.SimulateApplications(ctx, doc.Published); err != nil {
			return err
		}
	}
	if figure != "" {
		if doc.Written, err = drawn(figure, curve.CurveFigure(doc.Curve)); err != nil {
			return err
		}
	}
	if err := e.Emit(doc, func(w *bytes.Buffer) { printTuner(w, doc) }); err != nil {
		return err
	}
	return notValid(doc.Subject, doc.Failed)
}

// learnersDocument is what validate tuner --learners prints.
type learnersDocument struct {
	Table    string                `json:"table"`
	Learners []learners.LearnerRow `json:"learners"`
}

func (e *env) compareLearners(f tunerFlags) error {
	if len(f.options.Journals) == 0 {
		return command.Usagef("--learners compares on the sweeps of --journal: name one at least")
	}
	if err := wholefile.Writable(f.learners); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	progress := report.NewBar(&e.Env, "comparing learners", 0, report.UnitsDefault)
	defer progress.Stop()
	o := learners.LearnerOptions{Progress: func(done, total int) { progress.SetOf(int64(done), int64(total)) }}
	fingerprint, rows, err := learners.MakeLearners(ctx, o, f.options.Journals...)
	if err == nil {
		err = learners.WriteLearners(f.learners, fingerprint, rows)
	}
	if err != nil {
		return err
	}
	return e.Emit(learnersDocument{f.learners, rows}, func(w *bytes.Buffer) { printLearners(w, rows) })
}

func (e *env) timeTuner(m *model.Model) error {
	checks, err := choices.TunerSpeed(m)
	if err != nil {
		return err
	}
	doc := validateDocument{Subject: "tuner", Checks: checks, Failed: []string{}}
	doc.fail()
	return e.emitChecks(doc)
}

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
	return fmt.Sprintf("by a model that has seen %s: its checks on recorded calls hold it to nothing", report.Counted(points, "measured point"))
}

// printPart prints what each rule loses on a part of the streams.
func printPart(w *bytes.Buffer, p choices.TunerPart) {
	fmt.Fprintf(w, "\n%s: %s, %s with each kind of call\n\n", p.Part, report.Counted(p.Streams, "stream"), report.Count(uint64(p.Questions)))
	t := report.NewTable(report.Column{Title: "rule", Width: 60}, report.Right("all"),
		report.Right("from 2^18 updates"), report.Right("not measured"))
	for _, r := range p.Rules {
		t.AppendRow(table.Row{r.Rule, lossOrNone(r.Loss), lossOrNone(r.Long), report.Count(uint64(r.Unmeasured))})
	}
	report.PrintTable(w, t)
}

func lossOrNone(l model.Loss) string {
	if l.Points == 0 {
		return "-"
	}
	return losses(l)
}

// printGroups prints the losses by kind of call and by family.
func printGroups(w *bytes.Buffer, p choices.TunerPart) {
	for _, by := range []struct {
		title  string
		groups []choices.GroupLoss
	}{{"kind of call", p.ByType}, {"family", p.ByFamily}} {
		fmt.Fprintf(w, "\n%s, by %s\n\n", p.Part, by.title)
		t := report.NewTable(report.Left(by.title), report.Right("choices"),
			report.Right("atomtune"), report.Right("closed forms alone"))
		for _, g := range by.groups {
			t.AppendRow(table.Row{g.Group, report.Count(uint64(g.Choice.Points)), losses(g.Choice), losses(g.ClosedForm)})
		}
		report.PrintTable(w, t)
	}
}

// printTimes prints how predicted times lie to measured ones.
func printTimes(w *bytes.Buffer, parts []choices.TunerPart) {
	w.WriteString("\npredicted times: error in % of the measured time, share of measured times in the 90 % interval\n\n")
	t := report.NewTable(report.Left("streams"), report.Left("of"), report.Right("times"),
		report.Right("median"), report.Right("p90"), report.Right("in interval"))
	for _, p := range parts {
		for _, e := range []struct {
			of string
			choices.TimeError
		}{{"choices", p.Choice}, {"all", p.All}} {
			t.AppendRow(table.Row{p.Part, e.of, report.Count(uint64(e.Times)), inPercent(e.MedianPercent), inPercent(e.P90Percent), inPercent(e.CoveredPercent)})
		}
	}
	report.PrintTable(w, t)
}

// printCurve prints what measured points were worth.
func printCurve(w *bytes.Buffer, curve []curve.CurvePoint) {
	w.WriteString("\nheld-out half, corrected by measured points of the other half (mean over the draws)\n\n")
	t := report.NewTable(report.Right("points"), report.Right("streams"), report.Right("draws"),
		report.Right("mean loss"), report.Right("p90"), report.Right("max"),
		report.Right("median error (%)"), report.Right("in interval (%)"))
	for _, p := range curve {
		t.AppendRow(table.Row{report.Count(uint64(p.Points)), report.Count(uint64(p.Streams)), report.Count(uint64(p.Draws)),
			fmt.Sprintf("%.3f", p.Mean.GeometricMean), fmt.Sprintf("%.2f", p.Mean.P90), fmt.Sprintf("%.2f", p.Mean.Max),
			inPercent(p.Mean.MedianErrorPercent), inPercent(p.Mean.CoveredPercent)})
	}
	report.PrintTable(w, t)
}

// printWorst prints the choices that lose most, where they are shown.
func printWorst(w *bytes.Buffer, p choices.TunerPart) {
	if len(p.Worst) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s: the worst choices\n\n", p.Part)
	t := report.NewTable(report.Column{Title: "stream", Width: 70}, report.Left("kind of call"),
		report.Right("loss"), report.Left("choice"), report.Right("predicted (us)"),
		report.Right("measured (us)"), report.Left("best"), report.Right("predicted (us)"),
		report.Right("measured (us)"))
	for _, c := range p.Worst {
		predicted := "-"
		if c.BestPredictedUS > 0 {
			predicted = report.Number(c.BestPredictedUS)
		}
		t.AppendRow(table.Row{c.Stream, c.Kind, report.Number(c.Loss), c.Choice, report.Number(c.PredictedUS), report.Number(c.MeasuredUS),
			c.Best, predicted, report.Number(c.BestMeasuredUS)})
	}
	report.PrintTable(w, t)
}

// printModels prints what the embedded models lose on their own points.
func printModels(w *bytes.Buffer, models []choices.ModelLoss) {
	w.WriteString("\nmodels on simulated points that their trees had not seen\n\n")
	t := report.NewTable(report.Left("device"), report.Right("points"), report.Right("held out"),
		report.Right("family out"), report.Right("closed forms alone"),
		report.Right("always naive"), report.Right("nothing screened"), report.Right("screening"),
		report.Right("in interval"))
	for _, m := range models {
		e := m.Evaluation
		t.AppendRow(table.Row{m.Device, report.Count(uint64(m.Points)), losses(e.HeldOut), losses(e.FamilyOut), losses(e.ClosedForm), losses(e.Naive),
			lossOrNone(e.Complete), lossOrNone(e.Screening), inPercent(100 * e.ChoiceCoverage)})
	}
	report.PrintTable(w, t)
}

// printOffOptimal prints how far choices are from the best that were learned
// from other inputs.
func printOffOptimal(w *bytes.Buffer, rows []leaveoneout.OffOptimal) {
	w.WriteString("\nleave-one-out: how much longer the choice takes than the best, in %\n\n")
	t := report.NewTable(report.Left("device"), report.Left("times"), report.Left("without the"),
		report.Column{Title: "rule", Width: 60}, report.Right("inputs"), report.Right("mean"),
		report.Right("worst"), report.Right("right choices"))
	for _, r := range rows {
		t.AppendRow(table.Row{r.Device, r.Times, r.Held, r.Rule, report.Count(uint64(r.Inputs)),
			inPercent(r.MeanPercent), inPercent(r.WorstPercent), inPercent(r.RightPercent)})
	}
	report.PrintTable(w, t)
}

// printPublished prints what [egielski14] reports, and what its applications
// come to where they were simulated.
func printPublished(w *bytes.Buffer, rows []leaveoneout.PaperOff) {
	w.WriteString("\n[egielski14] Tables 1 to 3: off optimal, in %; inputs simulated here are not the paper's\n\n")
	t := report.NewTable(report.Left("table"), report.Left("device"), report.Left("benchmark"),
		report.Right("inputs"), report.Right("published"), report.Right("simulated"))
	for _, r := range rows {
		simulated := "-"
		if r.SimulatedPercent != nil {
			simulated = fmt.Sprintf("%.2f", *r.SimulatedPercent)
		}
		t.AppendRow(table.Row{r.Table, r.Device, r.Benchmark, report.Count(uint64(r.Inputs)), fmt.Sprintf("%.2f", r.Percent), simulated})
	}
	report.PrintTable(w, t)
}

// printOnline prints what repeated launches lose, and the regret that is stated.
func printOnline(w *bytes.Buffer, rows []online.OnlineRow) {
	w.WriteString("\nheld-out half, repeated launches: their time over that of as many of the best fixed implementation\n\n")
	t := report.NewTable(report.Column{Title: "rule", Width: 60}, report.Right("launches"),
		report.Right("loss"), report.Right("stated regret (launches)"), report.Right("beyond it"))
	for _, r := range rows {
		lost, beyond := "-", "-"
		if s := r.Stated; s != nil {
			lost = fmt.Sprintf("%s + %.4g %%", report.Number(s.LostLaunches), 100*s.Epsilon)
			beyond = fmt.Sprintf("%d of %d", s.Beyond, r.Questions)
		}
		t.AppendRow(table.Row{r.Rule, report.Count(uint64(r.Launches)), losses(r.Loss), lost, beyond})
	}
	report.PrintTable(w, t)
}

// printLearners prints how learners fared, device by device and judge by judge.
func printLearners(w *bytes.Buffer, rows []learners.LearnerRow) {
	for len(rows) > 0 {
		first, end := rows[0], 1
		for end < len(rows) && rows[end].Device == first.Device && rows[end].Judge == first.Judge {
			end++
		}
		fmt.Fprintf(w, "\nlearners on %s, %s\n\n", first.Device, first.Judge)
		t := report.NewTable(report.Left("learner"), report.Right("fitted on"),
			report.Right("judged on"), report.Right("loss"), report.Right("ln error, rmse"),
			report.Right("p90"))
		for _, r := range rows[:end] {
			rmse, p90 := "-", "-"
			if r.Error != nil {
				rmse, p90 = fmt.Sprintf("%.3f", r.Error.RMSE), fmt.Sprintf("%.3f", r.Error.P90)
			}
			t.AppendRow(table.Row{r.Learner, report.Count(uint64(r.Samples)), report.Count(uint64(r.Loss.Points)), losses(r.Loss), rmse, p90})
		}
		report.PrintTable(w, t)
		rows = rows[end:]
	}
}
