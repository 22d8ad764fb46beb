package main

import (
	"bytes"
	"context"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/validate/choices"
	"github.com/atomtune/atomtune/lab/validate/curve"
	"github.com/atomtune/atomtune/lab/validate/learners"
	"github.com/atomtune/atomtune/lab/validate/leaveoneout"
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
