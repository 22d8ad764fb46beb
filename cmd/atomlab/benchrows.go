package main

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	measured "github.com/atomtune/atomtune/lab/bench/rows"
)

type benchRowsDocument struct {
	GPU   string          `json:"gpu"`
	Cases int             `json:"cases"`
	Forms []benchRowsForm `json:"forms"`
}

// benchRowsForm says how far times of an implementation are off; null if there are none.
type benchRowsForm struct {
	Form      string           `json:"form"`
	Predicted *measured.Errors `json:"predicted"`
	Simulated *measured.Errors `json:"simulated"`
}

// benchRows judges prices and simulated times of row scatters.
func (e *env) benchRows(f benchFlags) error {
	switch {
	case len(f.runs) != 1:
		return command.Usagef("bench rows takes one --run; bindings/cuda/bench/rows.py measures")
	case f.every < 0 || f.every > 0 && f.simulated == "":
		return command.Usagef("--simulate %d: want 1 or more, and the file --simulated", f.every)
	}
	run, err := measured.Read(f.runs[0])
	if err != nil {
		return err
	}
	gpu, err := profileOf(run.GPU)
	if err != nil {
		return fmt.Errorf("%s: %w", f.runs[0], err)
	}
	simulated := measured.Simulated{}
	if f.simulated != "" {
		if simulated, err = e.simulatedRows(f, run, gpu); err != nil {
			return err
		}
	}
	streams := measured.Streams{}
	if err := streams.Measure(run); err != nil {
		return err
	}
	judged, err := run.Judge(gpu, streams)
	if err != nil {
		return err
	}
	doc, errors := benchRowsDocument{GPU: run.GPU, Cases: len(run.Cases)}, simulated.Errors(run)
	for _, form := range measured.Forms() {
		row := benchRowsForm{Form: form}
		if p := measured.ErrorsOf(judged, form); p.Calls > 0 {
			row.Predicted = &p
		}
		if s, ok := errors[form]; ok {
			row.Simulated = &s
		}
		doc.Forms = append(doc.Forms, row)
	}
	return e.Emit(doc, func(w *bytes.Buffer) { printBenchRows(w, doc) })
}

// profileOf returns the built-in profile of a GPU that was measured.
func profileOf(title string) (*device.Profile, error) {
	names := device.Names()
	at := slices.IndexFunc(names, func(name string) bool {
		p, err := device.Builtin(name)
		return err == nil && p.Title == title
	})
	if at < 0 {
		return nil, fmt.Errorf("no built-in profile is of %q", title)
	}
	return device.Builtin(names[at])
}

// simulatedRows reads simulated times, and adds those that are asked for.
func (e *env) simulatedRows(f benchFlags, run *measured.Run, gpu *device.Profile) (measured.Simulated, error) {
	s, err := measured.ReadSimulated(f.simulated)
	if err != nil || f.every == 0 {
		return s, err
	}
	if err := wholefile.Writable(f.simulated); err != nil {
		return nil, err
	}
	ctx := e.Context()
	calls := run.Drawn(f.every)
	e.Keeps("%s has the simulated calls; the same command resumes", f.simulated)
	progress := report.NewBar(&e.Env, "simulating calls", int64(len(calls)), report.UnitsDefault)
	defer progress.Stop()
	err = s.Simulate(ctx, gpu, run, calls, func() error {
		progress.SetOf(int64(len(s)), int64(len(calls)))
		return s.Write(f.simulated)
	})
	return s, err
}

func printBenchRows(w *bytes.Buffer, doc benchRowsDocument) {
	report.Fprintf(w, "%s: %s\nerrors in %% of the measured time\n\n", doc.GPU, report.Counted(uint64(doc.Cases),
		"case"))
	percent := func(e *measured.Errors) []any {
		if e == nil {
			return []any{"", "", ""}
		}
		return []any{e.Calls, fmt.Sprintf("%.1f", 100*e.Median), fmt.Sprintf("%.1f", 100*e.NineOf10)}
	}
	report.Table(w, "implementation|>predicted: calls|>median|>p90|>simulated: calls|>median|>p90", doc.Forms,
		func(f benchRowsForm) report.Row {
			return slices.Concat(report.Row{f.Form}, percent(f.Predicted), percent(f.Simulated))
		})
}
