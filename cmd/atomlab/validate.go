package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/choices"
	"github.com/atomtune/atomtune/lab/validate/decisions"
	"github.com/atomtune/atomtune/lab/validate/guarantee"
	"github.com/atomtune/atomtune/lab/validate/kernels"
	"github.com/atomtune/atomtune/lab/validate/scratchpad"
	"github.com/atomtune/atomtune/tuner/model"
)

// errNotValid reports a check that does not keep its limit.
var errNotValid = errors.New("a limit is not kept")

const validateExample = `  atomlab validate scratchpad --random 10000 --no-speed --no-findings
  atomlab validate kernels --simulate few.csv.gz --streams 1 --every 60
  atomlab validate decisions
  atomlab validate guarantee
  atomlab validate locks
  atomlab validate tuner --gpu h100`

const validateLong = `validate compares closed forms, simulator and recordings, and checks each
against a limit. For one warp, closed form and simulator count the same passes
independently but take the latencies from the same profile, so their agreement
checks only the counting. Rows that constants were fitted to judge neither.

scratchpad compares one warp's operations on shared memory: the worked examples
of [gomezluna13], the closed form's counting against the simulator's on the
GeForce GTX 580, and both against recordings of an NVIDIA H200. It also shows
the number of distinct values in the fitted and the judging half of these, the
result of a fit to noisy measurements of known constants, the paper's statements
about warps, copies and padding, and the speed of all this here.

kernels compares whole calls on an NVIDIA H200, on recorded streams that nothing
was fitted to, with their simulated times and with the closed forms. It also
compares the order of the implementations on each stream, and the losses of
choices by atomtune and by simple rules. Implementations of many sizes, such as
hot targets, are compared on some calls of all these streams. The simulated
times take long, so they come from a table in the program, or from --table;
--simulate makes one and resumes after an interruption. --speed times the
simulator instead.

locks compares closed forms with simulated times on the devices whose shared
memory has lock bits, the GeForce GTX 680 and the Tesla C2075, for each
implementation and type. It says whether the difference is a constant factor or
depends on the warps that share a target. No calls were recorded on these
devices. The simulated times are among those that the models are trained on.

decisions shows what the tree of each built-in device decides on random streams,
and simulates both choices where it differs from the closed forms. It also shows
the losses of choices by the tree and by closed forms on held-out families and
on recorded calls. It prints the page doc/results/TREES.md.

guarantee searches for the streams on which sr and vr, with each device's
thresholds, do worst against plain atomics. It compares their simulated times
with those of plain atomics and with the cost of the vote ([egielski14] section
3.1). Then it compares these thresholds with the default ones of sr and vr,
simulated on random streams and, for vr, in recorded calls.

tuner compares choices and predicted times with the recorded calls of one kind
of GPU (--gpu). No choice was learned from these calls; only the width of the
intervals is set on the fit part. It shows the losses of choices against the
best, next to those of simple rules, by part, kind of call and family of
streams; the errors of predicted times; and how often the stated interval holds.
Then it chooses by leave-one-out as [egielski14] does, and shows the losses of
the trees of all devices on simulated streams of families that they have not
seen. --applications simulates the applications of the paper's tables; --speed
times choices instead.

The exit code is 1 if a limit is exceeded, a known gap has widened or closed, or
a table belongs to another profile or simulator than this program's.`

// validateFlags are those of all subjects.
type validateFlags struct {
	scratchpad              scratchpad.Options
	noSpeed, noFindings     bool
	table, figure, simulate string
	plan                    kernels.KernelPlan
	workers                 int
	gpu, model              string
	speed, applications     bool
	tuner                   choices.TunerOptions
}

type validateDocument struct {
	Subject string           `json:"subject"`
	Checks  []validate.Check `json:"checks"`
	Failed  []string         `json:"failed"`
	// Halves are of the recordings that judge subject scratchpad.
	Halves []scratchpad.Halves `json:"halves,omitempty"`
}

func newValidate(e *env) *cobra.Command {
	var v validateFlags
	subjects := []string{"scratchpad", "kernels", "locks", "decisions", "guarantee", "tuner"}
	cmd := &cobra.Command{
		Use:       "validate SUBJECT",
		Short:     "Hold closed forms and simulator against each other and against recordings",
		Long:      validateLong,
		Example:   validateExample,
		ValidArgs: subjects,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(subjects, args[0]) {
				return command.Usagef("validate takes one subject (one of %s)", input.List(subjects))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.IntVar(&v.scratchpad.Random, "random", 0, "`patterns` drawn at random (0: 1,000,000)")
	f.Uint64Var(&v.scratchpad.Seed, "seed", 0, "`seed` of the patterns and of the noise")
	f.BoolVar(&v.noSpeed, "no-speed", false, "do not time anything")
	f.BoolVar(&v.noFindings, "no-findings", false,
		"leave out the paper's statements, most of which take simulations of whole kernels")
	f.StringVar(&v.table, "table", "", input.AtMost(kernels.MostBytes,
		"kernels: `file` with simulated times, as --simulate makes it"))
	f.StringVar(&v.figure, "figure", "",
		"kernels: draw simulated against measured times to `name`.svg and .png")
	f.BoolVar(&v.speed, "speed", false,
		"kernels: time the simulator, and compare numbers of workers; tuner: time choices")
	f.StringVar(&v.simulate, "simulate", "",
		input.AtMost(wholefile.Most, "kernels: simulate the calls that are not in this `file`, and write their times to it"))
	f.IntVar(&v.plan.Streams, "streams", 0,
		"with --simulate: `number` of streams, at equal distances (0: all)")
	f.IntVar(&v.plan.Every, "every", 0, "with --simulate: every `n`-th call on them alone (0: each)")
	f.IntVar(&v.plan.PerForm, "per-form", 0, "with --simulate: `calls` of each implementation of which tables "+
		"hold some, on all streams (0: none)")
	f.IntVar(&v.workers, "workers", 0,
		"with --simulate: `calls` simulated at once (0: as many as cores)")
	f.StringVar(&v.gpu, "gpu", h200.Archive.Name(), "tuner: `name` of the profile of the GPU "+
		"whose recorded calls judge")
	f.StringVar(&v.model, "model", "",
		input.AtMost(model.MostBytes, "tuner: `file` of a trained model of the GPU (default: the built-in one)"))
	f.BoolVar(&v.tuner.Worst, "worst", false,
		"tuner: list the worst choices of the held-out half too, which nobody should tune to")
	f.BoolVar(&v.applications, "applications", false,
		"tuner: simulate the applications of [egielski14] Tables 1 to 3 too")
	cmd.RunE = command.Action(func(cmd *cobra.Command, args []string) error {
		if err := v.check(cmd, args[0]); err != nil {
			return err
		}
		return e.validate(args[0], v)
	})
	return cmd
}

// purposes says of which use of validate each flag is.
var purposes = map[string][]string{
	"random": {"scratchpad"}, "seed": {"scratchpad", "guarantee"},
	"no-speed": {"scratchpad"}, "no-findings": {"scratchpad"},
	"table": {"kernels"}, "figure": {"kernels"},
	"speed":    {"kernels --speed", "tuner --speed"},
	"simulate": {"kernels --simulate"}, "streams": {"kernels --simulate"},
	"every": {"kernels --simulate"}, "per-form": {"kernels --simulate"}, "workers": {"kernels --simulate"},
	"gpu": {"tuner", "tuner --speed"}, "model": {"tuner", "tuner --speed"},
	"worst": {"tuner"}, "applications": {"tuner"},
}

// check refuses flags that belong to something else, and numbers below 0.
func (v *validateFlags) check(cmd *cobra.Command, subject string) (err error) {
	use := subject
	if subject == "kernels" && v.simulate != "" {
		use += " --simulate"
	} else if v.speed && (subject == "kernels" || subject == "tuner") {
		use += " --speed"
	}
	cmd.Flags().Visit(func(given *pflag.Flag) {
		number, notNumber := strconv.Atoi(given.Value.String())
		switch of := purposes[given.Name]; {
		case err != nil:
		case of != nil && !slices.Contains(of, use):
			err = command.Usagef("validate %s: --%s is a flag of validate %s", use, given.Name, of[0])
		case given.Value.Type() == "int" && notNumber == nil && number < 0:
			err = command.Usagef("--%s %d: want 0 or more", given.Name, number)
		}
	})
	return err
}

func (e *env) validate(subject string, v validateFlags) error {
	switch {
	case subject == "decisions":
		return e.validateDecisions()
	case subject == "locks":
		return e.validateLocks()
	case subject == "tuner":
		return e.validateTuner(v)
	case v.simulate != "":
		return e.simulateKernels(v)
	case subject == "kernels" && !v.speed:
		return e.reportKernels(v)
	case subject == "kernels":
		ctx := e.Context()
		checks, err := kernels.KernelSpeed(ctx)
		return e.emitChecks(subject, checks, err)
	}
	const parts = 1000
	progress := report.NewBar(&e.Env, "validating "+subject, parts, report.UnitsDefault)
	defer progress.Stop()
	if subject == "guarantee" {
		checks, err := guarantee.Guarantees(e.Context(), v.scratchpad.Seed)
		if err == nil {
			var compared []validate.Check
			compared, err = guarantee.Thresholds(e.Context(), v.scratchpad.Seed)
			checks = append(checks, compared...)
		}
		return e.emitChecks(subject, checks, err)
	}
	v.scratchpad.Progress = func(done float64) { progress.Set(int64(done * parts)) }
	checks, err := scratchpad.Scratchpad(v.scratchpad)
	if err == nil && !v.noFindings {
		var held []validate.Check
		held, err = scratchpad.ScratchpadFindings(e.Context(), v.scratchpad)
		checks = append(checks, held...)
	}
	if err == nil && !v.noSpeed {
		var speed []validate.Check
		speed, err = scratchpad.ScratchpadSpeed(v.scratchpad.Seed)
		checks = append(checks, speed...)
	}
	var halves []scratchpad.Halves
	if err == nil {
		halves, err = scratchpad.RecordedHalves(h200.Archive)
	}
	return e.emitChecks(subject, checks, err, halves...)
}

type decisionsDocument struct {
	Subject string           `json:"subject"`
	Devices decisions.Report `json:"devices"`
}

// validateDecisions judges the tree of every built-in device.
func (e *env) validateDecisions() error {
	progress := report.NewBar(&e.Env, "simulating streams", 0, report.UnitsDefault)
	defer progress.Stop()
	r, err := decisions.Judge(e.Context(), device.Names(),
		func(done, total int) { progress.SetOf(int64(done), int64(total)) })
	if err != nil {
		return err
	}
	return e.Emit(decisionsDocument{"decisions", r}, func(w *bytes.Buffer) { w.Write(r.Document()) })
}

// emitChecks prints the checks, the first failure as an error, unless they could not be made.
func (e *env) emitChecks(subject string, checks []validate.Check, err error,
	halves ...scratchpad.Halves) error {
	if err != nil {
		return err
	}
	doc := validateDocument{subject, checks, validate.Judge(checks, nil), halves}
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
			status := c.State()
			if status == validate.Failed {
				status = "FAILED"
			}
			return report.Row{c.Item, c.Value, limit(c), c.Unit, c.Rows, status}
		})
	w.WriteByte('\n')
	titles := map[string]string{validate.KnownGap: "known gap", validate.Seen: "not enforced"}
	for _, c := range doc.Checks {
		if title := titles[c.Status]; title != "" {
			report.Fprintf(w, "%s: %s: %s\n", title, c.Item, c.Reason)
		}
	}
	if len(doc.Halves) > 0 {
		printHalves(w, doc.Halves)
	}
	report.Fprintf(w, "\n%d checks, %d failed\n", len(doc.Checks), len(doc.Failed))
}

// printHalves says how many values the recordings behind the checks hold.
func printHalves(w *bytes.Buffer, halves []scratchpad.Halves) {
	fmt.Fprint(w, "\nDistinct values of the H200's recordings, in the half to fit and in that to "+
		"judge:\n")
	report.Table(w, "operation|>fitted rows|>values|>judging rows|>values|>not in the fitted half",
		halves, func(h scratchpad.Halves) report.Row {
			return report.Row{h.Operation, h.Fitted.Recordings, h.Fitted.Distinct, h.Judging.Recordings,
				h.Judging.Distinct, h.Unseen}
		})
}

func limit(c validate.Check) string {
	if c.Least {
		return "at least " + report.Number(c.Limit)
	}
	return "at most " + report.Number(c.Limit)
}
