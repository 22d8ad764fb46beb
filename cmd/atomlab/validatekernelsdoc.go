package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/kernels"
	"github.com/atomtune/atomtune/tuner/model"
)

func printKernels(w *bytes.Buffer, doc kernelDocument) {
	fmt.Fprintf(w, "%s of %s recorded calls, on %s held-out streams; errors in %% of the measured time\n\n",
		report.Count(uint64(doc.Calls)), report.Count(uint64(doc.Available)), report.Count(uint64(doc.Streams)))
	printKernelRows(w, doc.Rows)
	w.WriteByte('\n')
	t := report.NewTable(report.Column{Title: "check", Width: 90}, report.Right("value"),
		report.Right("limit"), report.Right("rows"), report.Left("status"))
	for _, c := range doc.Checks {
		if c.Unit == "%" {
			continue // in the table of implementations
		}
		limit := "at most " + report.Number(c.Limit)
		if c.Least {
			limit = "at least " + report.Number(c.Limit)
		}
		state := status(c.Status)
		if c.Failure() != "" {
			state = status(kernels.Failed)
		}
		t.AppendRow(table.Row{c.Item, report.Number(c.Value), limit, report.Count(uint64(c.Rows)), state})
	}
	report.PrintTable(w, t)
	printRivals(w, doc.Rivals)
	for _, f := range doc.Failed {
		fmt.Fprintf(w, "failed: %s\n", f)
	}
	gaps := 0
	for _, c := range doc.Checks {
		if c.Status == validate.KnownGap {
			gaps++
		}
	}
	fmt.Fprintf(w, "%d checks, %d known gaps (--json says what holds instead, and why), %d failed\n", len(doc.Checks), gaps, len(doc.Failed))
	if len(doc.Written) > 0 {
		fmt.Fprintf(w, "written: %s\n", strings.Join(doc.Written, ", "))
	}
}

// printKernelRows prints a line for each implementation, type and operand.
func printKernelRows(w *bytes.Buffer, rows []kernels.KernelRow) {
	t := report.NewTable(report.Left("implementation"), report.Left("type"), report.Left("value"),
		report.Left("old"), report.Right("calls"), report.Right("simulated: median"),
		report.Right("p90"), report.Right("ratio"), report.Left("status"),
		report.Right("closed form: median"), report.Right("ratio"), report.Left("status"))
	for _, r := range rows {
		old := ""
		if r.Returns {
			old = "yes"
		}
		t.AppendRow(table.Row{r.Implementation, r.Type, r.Operand, old, report.Count(uint64(r.Calls)),
			inPercent(r.Simulated.MedianPercent), inPercent(r.Simulated.P90Percent), report.Number(r.Simulated.MedianRatio), status(r.Simulated.Status),
			inPercent(r.ClosedForm.MedianPercent), report.Number(r.ClosedForm.MedianRatio), status(r.ClosedForm.Status)})
	}
	report.PrintTable(w, t)
}

func inPercent(v float64) string { return fmt.Sprintf("%.1f", v) }

func status(s string) string {
	switch s {
	case validate.Enforced:
		return "ok"
	case validate.KnownGap:
		return "known gap"
	}
	return "FAILED"
}

// printRivals prints what rules of choice lose.
func printRivals(w *bytes.Buffer, rivals []kernels.RivalLoss) {
	if len(rivals) == 0 {
		w.WriteString("\nno losses of choices: the table leaves out single calls\n\n")
		return
	}
	fmt.Fprintf(w, "\ntime of the choice over the best time, on %s streams and kinds of call: geometric mean, p90, max\n\n",
		report.Count(uint64(rivals[0].Questions)))
	t := report.NewTable(report.Column{Title: "rule", Width: 60}, report.Right("measured"),
		report.Right("simulated"), report.Right("not measured"))
	for _, r := range rivals {
		t.AppendRow(table.Row{r.Rule, losses(r.Measured), losses(r.Simulated), report.Count(uint64(r.Unmeasured))})
	}
	report.PrintTable(w, t)
	w.WriteString("choices that were not measured stand in the measured losses with their simulated times\n\n")
}

func losses(l model.Loss) string {
	return fmt.Sprintf("%.3f, %.2f, %.2f", l.GeometricMean, l.P90, l.Max)
}
