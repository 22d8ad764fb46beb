package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/choices"
	"github.com/atomtune/atomtune/lab/validate/kernels"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/lab/validate/scratchpad"
	"github.com/atomtune/atomtune/tuner/model"
)

// errNotValid reports a check that does not keep its limit.
var errNotValid = errors.New("a limit is not kept")

const validateExample = `  atomlab validate scratchpad
  atomlab validate kernels
  atomlab validate tuner --gpu h100`

const validateLong = `validate compares closed forms, simulator and recordings, each with a limit.
Rows that constants were fitted to judge nothing.

scratchpad compares one warp's operations on shared memory: the worked examples
of [gomezluna13], the closed form's counting with the simulator's on the GeForce
GTX 580, and both with recordings of an NVIDIA H200. Closed form and simulator
count the same passes independently but take their lengths from the same
profile, so their agreement checks only the counting.

kernels compares whole calls on an NVIDIA H200, on recorded streams that nothing
was fitted to, with their simulated times and with the closed forms, as in
doc/results/KERNELS.md. The simulated times are stored in the program;
--simulate FILE first simulates the calls that FILE lacks, which takes hours,
and resumes after an interruption.

tuner compares choices and predicted times with the recorded calls of one kind
of GPU (--gpu), as in doc/results/RESULTS.md: what choices lose against the
best, beside simple rules, how far predicted times are off, and how often the
stated interval holds. --model judges your own trained model.

The exit code is 1 if an enforced limit is not kept, a known gap has widened or
closed, or a table is of another profile or simulator than this program's.`

type validateFlags struct{ gpu, model, simulate string }

// validateDocument is the JSON of a subject, of which only its own report is set.
type validateDocument struct {
	Subject string                `json:"subject"`
	Checks  []validate.Check      `json:"checks"`
	Failed  []string              `json:"failed"`
	Kernels *kernels.KernelReport `json:"kernels,omitempty"`
	Tuner   *choices.TunerReport  `json:"tuner,omitempty"`
}

func newValidate(e *env) *cobra.Command {
	var v validateFlags
	subjects := []string{"scratchpad", "kernels", "tuner"}
	cmd := &cobra.Command{
		Use:       "validate SUBJECT",
		Short:     "Compare closed forms, simulator and choices with each other and with recordings",
		Long:      validateLong,
		Example:   validateExample,
		ValidArgs: subjects,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(subjects, args[0]) {
				return command.Usagef("validate takes one subject (there are %s)", input.List(subjects))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&v.gpu, "gpu", h200.Archive.Name(), "tuner: `name` of the GPU whose recorded calls judge")
	f.StringVar(&v.model, "model", "",
		input.AtMost(model.MostBytes, "tuner: `file` of a trained model of the GPU (default: the built-in one)"))
	f.StringVar(&v.simulate, "simulate", "",
		input.AtMost(wholefile.Most, "kernels: `file` of simulated times to complete and to judge"))
	cmd.RunE = command.Action(func(cmd *cobra.Command, args []string) error {
		for flag, of := range map[string]string{"gpu": "tuner", "model": "tuner", "simulate": "kernels"} {
			if cmd.Flags().Changed(flag) && of != args[0] {
				return command.Usagef("validate %s: --%s is a flag of validate %s", args[0], flag, of)
			}
		}
		return e.validate(args[0], v)
	})
	return cmd
}

func (e *env) validate(subject string, v validateFlags) (err error) {
	doc, text := validateDocument{Subject: subject}, []byte(nil)
	switch subject {
	case "scratchpad":
		if doc.Checks, err = scratchpad.Scratchpad(scratchpad.Patterns, 0); err == nil {
			doc.Failed = validate.Judge(doc.Checks, nil)
		}
	case "kernels":
		var r kernels.KernelReport
		if r, err = e.kernels(v.simulate); err == nil {
			doc.Checks, doc.Failed, doc.Kernels, text = r.Checks, r.Failed, &r, r.Document()
		}
	default:
		var r choices.TunerReport
		if r, err = e.tuner(v); err == nil {
			doc.Checks, doc.Failed, doc.Tuner, text = r.Checks, r.Failed, &r, r.Document()
		}
	}
	if err != nil {
		return err
	}
	err = e.Emit(doc, func(w *bytes.Buffer) {
		if w.Write(text); text == nil {
			printChecks(w, doc.Checks)
		}
		report.Fprintf(w, "\n%d checks, %d failed\n", len(doc.Checks), len(doc.Failed))
	})
	if err == nil && len(doc.Failed) > 0 {
		err = fmt.Errorf("%s: %w: %s", subject, errNotValid, doc.Failed[0])
	}
	return err
}

// kernels judges the stored simulated times, or those of a file that it completes first.
func (e *env) kernels(path string) (r kernels.KernelReport, err error) {
	if path == "" {
		t, err := kernels.RecordedKernels()
		if err != nil {
			return r, err
		}
		return kernels.Kernels(t)
	}
	if err := wholefile.Writable(path); err != nil {
		return r, err
	}
	e.Keeps("%s keeps the simulated calls, the same command goes on with them", kernels.CheckpointOf(path))
	progress := report.NewBar(&e.Env, "simulating calls", 0, report.UnitsDefault)
	t, err := kernels.WriteKernels(e.Context(), path, kernels.Plan,
		func(done, total int) { progress.SetOf(int64(done), int64(total)) })
	progress.Stop()
	if err != nil {
		return r, err
	}
	return kernels.Kernels(t)
}

func (e *env) tuner(v validateFlags) (r choices.TunerReport, err error) {
	var o choices.TunerOptions
	if o.Archive = recorded.Archive(v.gpu); o.Archive == nil {
		return r, command.Usagef("--gpu %s: no calls of that GPU are recorded", v.gpu)
	}
	if v.model != "" {
		if o.Model, err = model.Load(v.model); err != nil {
			return r, err
		}
	}
	return e.judge(o)
}

func printChecks(w *bytes.Buffer, checks []validate.Check) {
	report.Table(w, "90:check|>value|>limit|unit|>rows|status", checks, func(c validate.Check) report.Row {
		limit := "at most " + report.Number(c.Limit)
		if c.Least {
			limit = "at least " + report.Number(c.Limit)
		}
		return report.Row{c.Item, c.Value, limit, c.Unit, c.Rows, c.State()}
	})
	for _, c := range checks {
		if c.Status == validate.KnownGap {
			report.Fprintf(w, "\nknown gap: %s: %s", c.Item, c.Reason)
		}
	}
}
