package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/checkpoints"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/bench/speed"
)

type benchSpeedDocument struct {
	Runs    []*speed.Run `json:"runs"`
	Written []string     `json:"written"`
}

// benchSpeed measures the project's own code, or reads runs of it.
func (e *env) benchSpeed(f benchFlags, args []string) error {
	switch {
	case len(args) > 0:
		return command.Usagef("bench speed takes no FOLDER, but %q", args[0])
	case len(f.runs) > 0 && (f.table != "" || f.only != ""):
		return command.Usagef("--table and --only are of what is measured, and --run measures nothing")
	}
	if f.out != "" {
		f.out = filepath.Join(f.out, "SPEED.md")
	}
	doc := benchSpeedDocument{Written: []string{}}
	for _, path := range f.runs {
		run, err := speed.Read(path)
		if err != nil {
			return err
		}
		doc.Runs = append(doc.Runs, run)
	}
	if len(f.runs) == 0 {
		run, err := e.measureSpeed(f)
		if err != nil {
			return err
		}
		doc.Runs = []*speed.Run{run}
		if f.table != "" {
			doc.Written = append(doc.Written, f.table)
		}
	}
	if f.out != "" {
		if err := wholefile.Write(f.out, speed.Document(doc.Runs)); err != nil {
			return err
		}
		doc.Written = append(doc.Written, f.out)
	}
	return e.Emit(doc, func(w *bytes.Buffer) { printBenchSpeed(w, doc) })
}

// measureSpeed measures, and writes the table that was asked for.
func (e *env) measureSpeed(f benchFlags) (run *speed.Run, err error) {
	for _, path := range []string{f.table, f.out} {
		if err := wholefile.Writable(path); err != nil {
			return nil, err
		}
	}
	var only []string
	if f.only != "" {
		only = strings.Split(f.only, ",")
	}
	kept, err := checkpoints.Open[speed.Result](&e.Env, f.table, "results on "+speed.Machine())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, kept.End(err == nil)) }()
	run, err = e.speed(e.Context(), only, kept.Done, func(r speed.Result) error {
		e.Note("%s %s: %s", r.Suite, r.Case, speed.Seconds(r.Seconds))
		return kept.Keep(r)
	})
	if err == nil && f.table != "" {
		err = wholefile.Write(f.table, run.JSON())
	}
	return run, err
}

func printBenchSpeed(w *bytes.Buffer, doc benchSpeedDocument) {
	for _, run := range doc.Runs {
		report.Fprintf(w, "%s\n\n", run)
		report.Table(w, "56:case|>cores|>time|>per second and core|reference|>times|aim|", run.Results,
			func(r speed.Result) report.Row {
				row := report.Row{r.Suite + " " + r.Case, r.Cores, speed.Seconds(r.Seconds), r.RateText(), "-", "-",
					r.Aim.String(), r.Verdict()}
				if r.Beside != nil {
					row[4], row[5] = r.Beside.Name, fmt.Sprintf("%.3g", r.Ratio())
				}
				return row
			})
		w.WriteByte('\n')
	}
	for _, path := range doc.Written {
		report.Fprintf(w, "wrote %s\n", path)
	}
}
