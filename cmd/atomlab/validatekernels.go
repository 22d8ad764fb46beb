package main

import (
	"bytes"
	"context"
	"fmt"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/kernels"
	"github.com/atomtune/atomtune/tuner/model"
)

// kernelFlags are the flags of validate kernels.
type kernelFlags struct {
	simulate, table, figure string
	speed                   bool
	plan                    kernels.KernelPlan
	options                 kernels.SimulateOptions
}

func (f *kernelFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.table, "table", "", "kernels: `file` with simulated times, as --simulate makes it")
	flags.StringVar(&f.figure, "figure", "", "kernels: draw simulated against measured times to `name`.svg and .png; tuner: what choices lose by measured points learnt from")
	flags.BoolVar(&f.speed, "speed", false, "kernels: time the simulator, and compare numbers of workers; tuner: time choices")
	flags.StringVar(&f.simulate, "simulate", "", "kernels: simulate the calls (hours) and write their times to this `file`")
	flags.IntVar(&f.plan.Streams, "streams", 0, "with --simulate: `number` of streams, at equal distances (0: all)")
	flags.IntVar(&f.plan.Every, "every", 0, "with --simulate: every `n`-th call on them alone (0: each)")
	flags.IntVar(&f.options.Workers, "workers", 0, "with --simulate: `calls` simulated at once (0: as many as cores)")
}

// purposes says of which use of validate each flag is.
var purposes = map[string][]string{
	"random": {"scratchpad"}, "seed": {"scratchpad", "guarantee"}, "no-speed": {"scratchpad"}, "no-findings": {"scratchpad"},
	"table": {"kernels"}, "figure": {"kernels", "tuner"}, "speed": {"kernels --speed", "tuner --speed"}, "simulate": {"kernels --simulate"},
	"streams": {"kernels --simulate"}, "every": {"kernels --simulate"}, "workers": {"kernels --simulate"},
	"model": {"tuner", "tuner --speed"}, "journal": {"tuner", "tuner --learners"}, "learners": {"tuner --learners"}, "worst": {"tuner"}, "applications": {"tuner"},
}

// check refuses flags that belong to something else.
func (f *kernelFlags) check(cmd *cobra.Command, subject string) (err error) {
	use := subject
	if subject == "kernels" && f.simulate != "" {
		use += " --simulate"
	} else if f.speed && (subject == "kernels" || subject == "tuner") {
		use += " --speed"
	} else if subject == "tuner" && cmd.Flags().Changed("learners") {
		use += " --learners"
	}
	cmd.Flags().Visit(func(given *pflag.Flag) {
		if of := purposes[given.Name]; err == nil && of != nil && !slices.Contains(of, use) {
			err = command.Usagef("validate %s: --%s is a flag of validate %s", use, given.Name, of[0])
		}
	})
	for _, n := range []struct {
		name  string
		value int
	}{{"streams", f.plan.Streams}, {"every", f.plan.Every}, {"workers", f.options.Workers}} {
		if err == nil && n.value < 0 {
			err = command.Usagef("--%s %d: want 0 or more", n.name, n.value)
		}
	}
	return err
}

func (e *env) validateKernels(f kernelFlags) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	switch {
	case f.simulate != "":
		return e.simulateKernels(ctx, f)
	case f.speed:
		checks, err := kernels.KernelSpeed(ctx)
		if err != nil {
			return err
		}
		doc := validateDocument{Subject: "kernels", Checks: checks, Failed: []string{}}
		doc.fail()
		return e.emitChecks(doc)
	}
	return e.reportKernels(f)
}

// simulatedDocument is what validate kernels --simulate prints.
type simulatedDocument struct {
	Table    string             `json:"table"`
	Plan     kernels.KernelPlan `json:"plan"`
	Calls    int                `json:"calls"`
	ElapsedS float64            `json:"elapsed_s"`
}

func (e *env) simulateKernels(ctx context.Context, f kernelFlags) error {
	if err := wholefile.Writable(f.simulate); err != nil {
		return err
	}
	start := e.Now()
	progress := report.NewBar(&e.Env, "simulating calls", 0, report.UnitsDefault)
	defer progress.Stop()
	f.options.Progress = func(done, total int) { progress.SetOf(int64(done), int64(total)) }
	t, err := kernels.WriteKernels(ctx, f.simulate, f.plan, f.options)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("interrupted: the same command goes on with the calls that are not in %s", kernels.JournalOf(f.simulate))
	}
	if err != nil {
		return err
	}
	doc := simulatedDocument{f.simulate, f.plan, len(t.Times), e.Now().Sub(start).Seconds()}
	return e.Emit(doc, func(w *bytes.Buffer) {
		fmt.Fprintf(w, "%s calls simulated in %s s: %s\n", report.Count(uint64(doc.Calls)), report.Number(doc.ElapsedS), doc.Table)
	})
}

// kernelDocument is what validate kernels prints.
type kernelDocument struct {
	Subject string `json:"subject"`
	kernels.KernelReport
	Written []string `json:"written"`
}

func (e *env) reportKernels(f kernelFlags) error {
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
