package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/kernels"
	"github.com/atomtune/atomtune/tuner/model"
)

type simulatedDocument struct {
	Table    string             `json:"table"`
	Plan     kernels.KernelPlan `json:"plan"`
	Calls    int                `json:"calls"`
	ElapsedS float64            `json:"elapsed_s"`
}

func (e *env) simulateKernels(f validateFlags) error {
	ctx := e.Context()
	if err := wholefile.Writable(f.simulate); err != nil {
		return err
	}
	e.Keeps("%s has the simulated calls; the same command resumes", kernels.CheckpointOf(f.simulate))
	start := e.Now()
	progress := report.NewBar(&e.Env, "simulating calls", 0, report.UnitsDefault)
	defer progress.Stop()
	t, err := kernels.WriteKernels(ctx, f.simulate, f.plan, kernels.SimulateOptions{Workers: f.workers,
		Progress: func(done, total int) { progress.SetOf(int64(done), int64(total)) }})
	if err != nil {
		return err
	}
	doc := simulatedDocument{f.simulate, f.plan, len(t.Times), e.Now().Sub(start).Seconds()}
	return e.Emit(doc, func(w *bytes.Buffer) {
		report.Fprintf(w, "%s calls simulated in %s s: %s\n",
			report.Count(doc.Calls), report.Number(doc.ElapsedS), doc.Table)
	})
}

type kernelDocument struct {
	Subject string `json:"subject"`
	kernels.KernelReport
	Written []string `json:"written"`
}

func (e *env) reportKernels(f validateFlags) error {
	t, err := kernels.RecordedKernels()
	if f.table != "" {
		t, err = kernels.ReadKernels(f.table)
	}
	if err != nil {
		return err
	}
	doc := kernelDocument{Subject: "kernels", Written: []string{}}
	if doc.KernelReport, err = kernels.Kernels(t); err != nil {
		return err
	}
	if f.figure != "" {
		if doc.Written, err = drawn(f.figure, doc.Figure()); err != nil {
			return err
		}
	}
	if err := e.Emit(doc, func(w *bytes.Buffer) { printKernels(w, doc) }); err != nil {
		return err
	}
	return notValid(doc.Subject, doc.Failed)
}

func printKernels(w *bytes.Buffer, doc kernelDocument) {
	report.Fprintf(w, "%s of %s recorded calls, on %s held-out streams; "+
		"errors in %% of the measured time\n\n",
		report.Count(doc.Calls), report.Count(doc.Available), report.Count(doc.Streams))
	report.Table(w, "implementation|type|value|old|>calls|>simulated: median|>p90|>ratio|status|"+
		">closed form: median|>ratio|status", doc.Rows, func(r kernels.KernelRow) report.Row {
		old := ""
		if r.Returns {
			old = "yes"
		}
		s, c := r.Simulated, r.ClosedForm
		return report.Row{r.Implementation, r.Type, r.Operand, old, r.Calls,
			inPercent(s.MedianPercent), inPercent(s.P90Percent), s.MedianRatio, status(s.Status),
			inPercent(c.MedianPercent), c.MedianRatio, status(c.Status)}
	})
	w.WriteByte('\n')
	if len(doc.Implementations) > 0 {
		report.Table(w, "40:implementation|>calls|>of|>simulated: median|>p90|>ratio|status|"+
			">closed form: median|>ratio|status", doc.Implementations, formRow)
		w.WriteByte('\n')
	}
	gaps := 0
	var rest []validate.Check // that are not in the table of implementations
	for _, c := range doc.Checks {
		if c.Unit != "%" {
			rest = append(rest, c)
		}
		if c.Status == validate.KnownGap {
			gaps++
		}
	}
	report.Table(w, "90:check|>value|>limit|>rows|status", rest, func(c validate.Check) report.Row {
		return report.Row{c.Item, c.Value, limit(c), c.Rows, status(c.State())}
	})
	printRivals(w, doc.Rivals)
	printEnd(w, doc.Failed, doc.Written,
		fmt.Sprintf("%d checks, %d known gaps (--json says what holds instead, and why), %d failed\n",
			len(doc.Checks), gaps, len(doc.Failed)))
}

func formRow(r kernels.FormRow) report.Row {
	s, c := r.Simulated, r.ClosedForm
	return report.Row{r.Implementation, r.Calls, r.Available,
		inPercent(s.MedianPercent), inPercent(s.P90Percent), s.MedianRatio, status(s.Status),
		inPercent(c.MedianPercent), c.MedianRatio, status(c.Status)}
}

func printEnd(w *bytes.Buffer, failed, written []string, summary string) {
	for _, f := range failed {
		report.Fprintf(w, "failed: %s\n", f)
	}
	w.WriteString(summary)
	if len(written) > 0 {
		report.Fprintf(w, "written: %s\n", strings.Join(written, ", "))
	}
}

func decimals(x float64, n int) string { return strconv.FormatFloat(x, 'f', n, 64) }

func inPercent(v float64) string { return decimals(v, 1) }

// inPercentOr is "" of nil.
func inPercentOr(v *float64) string {
	if v == nil {
		return ""
	}
	return inPercent(*v)
}

func status(s string) string {
	switch s {
	case validate.Enforced:
		return "ok"
	case validate.KnownGap:
		return "known gap"
	}
	return "FAILED"
}

func printRivals(w *bytes.Buffer, rivals []kernels.RivalLoss) {
	if len(rivals) == 0 {
		w.WriteString("\nno losses of choices: the table leaves out single calls\n\n")
		return
	}
	title := fmt.Sprintf("time of the choice over the best time, on %s streams and kinds of call: "+
		"geometric mean, p90, max", report.Count(rivals[0].Questions))
	section(w, title, "60:rule|>measured|>simulated|>not measured", rivals,
		func(r kernels.RivalLoss) report.Row {
			return report.Row{r.Rule, losses(r.Measured), losses(r.Simulated), r.Unmeasured}
		})
	w.WriteString("choices that were not measured count in the measured losses " +
		"with their simulated times\n\n")
}

// losses prints what choices lose, a dash if there are none.
func losses(l model.Loss) string {
	if l.Points == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f, %.2f, %.2f", l.GeometricMean, l.P90, l.Max)
}
