package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/guarantee"
	"github.com/atomtune/atomtune/lab/validate/scratchpad"
)

// errNotValid reports a check that does not keep its limit.
var errNotValid = errors.New("a limit is not kept")

const validateExample = `  atomlab validate scratchpad --random 10000 --no-speed --no-findings
  atomlab validate kernels --simulate few.csv.gz --streams 1 --every 60
  atomlab validate guarantee
  atomlab validate tuner --figure curve`

const validateLong = `validate puts closed form, simulator and recordings side by side and holds each
to a limit. Closed form and simulator count conflicts by routes of their own and
take the lengths of what they count from the same profile; rows that constants
were fitted to judge neither.

scratchpad compares one warp's operations on shared memory: the worked examples
of [gomezluna13], the closed form against the simulator on the GeForce GTX 580,
both against recordings of an NVIDIA H200, what a fit makes of noisy
measurements of known constants, the paper's statements about warps, copies and
padding, and how fast it all is on two cores here. All of it takes about a
minute.

kernels compares whole calls on an NVIDIA H200, on recorded streams that nothing
was fitted to, with their simulated times and with the closed forms, and the
order of the implementations on each stream; beside that it says what choices
lose, atomtune's and those of simple rules. The simulated times take hours, so
they come from a table in the program, or from --table; --simulate makes one and
goes on where it was cut. --speed times the simulator instead.

guarantee searches streams on which sr and vr, with each device's thresholds, do
worst against plain atomics, and holds their simulated times against those of plain
atomics and the vote's own cost ([egielski14] section 3.1). It takes half a minute.

tuner compares choices and predicted times with the recorded calls on an NVIDIA
H200, from which no choice was learned (the width of intervals is set on the fit
part): what choices lose against the best, beside simple rules, by part, kind of call
and family of the streams; how far predicted times are off, and how often the stated
interval holds. Then it chooses by
leave-one-out as [egielski14] does, for the H200 and for the points of --journal.
--applications simulates the applications of the paper's tables (half a minute);
--speed times choices instead, and --learners compares learners on the sweeps of
--journal, minutes for each, and writes the table that the report prints.

The exit code is 1 if an enforced limit is not kept, a known gap has widened or
closed, or a table is of another profile or simulator than this program's.`

type validateFlags struct {
	options scratchpad.Options
	noSpeed bool
	brief   bool
	kernels kernelFlags
	tuner   tunerFlags
}

type validateDocument struct {
	Subject string           `json:"subject"`
	Checks  []validate.Check `json:"checks"`
	Failed  []string         `json:"failed"`
}

func newValidate(e *env) *cobra.Command {
	var flags validateFlags
	subjects := []string{"scratchpad", "kernels", "guarantee", "tuner"}
	cmd := &cobra.Command{
		Use:       "validate SUBJECT",
		Short:     "Hold closed forms and simulator against each other and against recordings",
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
	cmd.Flags().IntVar(&flags.options.Random, "random", 0, "`patterns` drawn at random (0: 1,000,000)")
	cmd.Flags().Uint64Var(&flags.options.Seed, "seed", 0, "`seed` of the patterns and of the noise")
	cmd.Flags().BoolVar(&flags.noSpeed, "no-speed", false, "do not time anything")
	cmd.Flags().BoolVar(&flags.brief, "no-findings", false, "leave out the paper's statements, most of which take simulations of whole kernels")
	flags.kernels.register(cmd)
	flags.tuner.register(cmd)
	cmd.RunE = command.Action(func(cmd *cobra.Command, args []string) error {
		if err := flags.kernels.check(cmd, args[0]); err != nil {
			return err
		}
		if args[0] == "kernels" {
			return e.validateKernels(flags.kernels)
		}
		if args[0] == "tuner" {
			return e.validateTuner(flags.tuner, flags.kernels.speed, flags.kernels.figure)
		}
		return e.validate(cmd.Context(), args[0], flags)
	})
	return cmd
}

func (e *env) validate(ctx context.Context, subject string, f validateFlags) error {
	if f.options.Random < 0 {
		return command.Usagef("--random %d: want 0 or more", f.options.Random)
	}
	const parts = 1000
	progress := report.NewBar(&e.Env, "validating "+subject, parts, report.UnitsDefault)
	defer progress.Stop()
	f.options.Progress = func(done float64) { progress.Set(int64(done * parts)) }
	if ctx == nil {
		ctx = context.Background()
	}
	if subject == "guarantee" {
		checks, err := guarantee.Guarantees(ctx, f.options.Seed)
		return e.emitChecks(subject, checks, err)
	}
	checks, err := scratchpad.Scratchpad(f.options)
	if err == nil && !f.brief {
		var held []validate.Check
		held, err = scratchpad.ScratchpadFindings(ctx, f.options)
		checks = append(checks, held...)
	}
	if err == nil && !f.noSpeed {
		var speed []validate.Check
		speed, err = scratchpad.ScratchpadSpeed(f.options.Seed)
		checks = append(checks, speed...)
	}
	return e.emitChecks(subject, checks, err)
}

// emitChecks prints the checks, the first failure as an error, unless they could not be made.
func (e *env) emitChecks(subject string, checks []validate.Check, err error) error {
	if err != nil {
		return err
	}
	doc := validateDocument{Subject: subject, Checks: checks, Failed: []string{}}
	for _, c := range checks {
		if failure := c.Failure(); failure != "" {
			doc.Failed = append(doc.Failed, failure)
		}
	}
	if err := e.Emit(doc, func(w *bytes.Buffer) { printChecks(w, doc) }); err != nil {
		return err
	}
	return notValid(doc.Subject, doc.Failed)
}

func notValid(subject string, failed []string) error {
	if len(failed) > 0 {
		return fmt.Errorf("%s: %w: %s", subject, errNotValid, failed[0])
	}
	return nil
}

func printChecks(w *bytes.Buffer, doc validateDocument) {
	report.Table(w, "90:check|>value|>limit|unit|>rows|status", doc.Checks,
		func(c validate.Check) report.Row {
			status := c.Status
			if c.Failure() != "" {
				status = "FAILED"
			}
			return report.Row{c.Item, c.Value, limit(c), c.Unit, c.Rows, status}
		})
	w.WriteByte('\n')
	titles := map[string]string{validate.KnownGap: "known gap", validate.Seen: "not enforced"}
	for _, c := range doc.Checks {
		if title := titles[c.Status]; title != "" {
			fmt.Fprintf(w, "%s: %s: %s\n", title, c.Item, c.Reason)
		}
	}
	fmt.Fprintf(w, "\n%d checks, %d failed\n", len(doc.Checks), len(doc.Failed))
}

func limit(c validate.Check) string {
	if c.Least {
		return "at least " + report.Number(c.Limit)
	}
	return "at most " + report.Number(c.Limit)
}
