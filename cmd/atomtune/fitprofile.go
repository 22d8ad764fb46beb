package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/calibration"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
)

type profileDocument struct {
	Readings  string     `json:"readings"`       // the file
	Patterns  string     `json:"patterns"`       // the file
	Rows      string     `json:"rows,omitempty"` // the file
	NotFitted []fitInput `json:"not_fitted"`
	GPU       string     `json:"gpu"`
	Starts    int        `json:"starts"` // of the machine
	calibration.Report
	Profile json.RawMessage `json:"profile"`
	driver  string
	out     string
}

// fitProfile fits a whole profile to a run's files, and times of rows to row scatters: its own, or those of a base.
func fitProfile(e *env, in fitInputs, profile *device.Profile, f fitFlags) (err error) {
	doc := profileDocument{NotFitted: in.others, out: f.out, Report: calibration.Report{Columns: []calibration.ColumnFit{},
		Unidentified: []calibration.Unidentified{}, Warnings: []string{}}}
	if in.readings != nil {
		profile, err = doc.fitRun(e, in, f)
	}
	if err == nil && in.rows != nil {
		profile, err = doc.fitRows(e, in, profile, f)
	}
	if err != nil {
		return err
	}
	if doc.Profile, err = profile.Encode(); err != nil {
		return err
	}
	if f.out != "" {
		if err := wholefile.Write(f.out, doc.Profile); err != nil {
			return err
		}
	}
	return report.EmitPage(e, doc, func(p *report.Page) { printProfile(p, doc) })
}

// fitRows fits the times of rows of a profile.
func (doc *profileDocument) fitRows(e *env, in fitInputs, p *device.Profile, f fitFlags) (*device.Profile, error) {
	for _, flag := range []string{"name", "type", "op", "column"} {
		if in.readings == nil && f.changed(flag) {
			return nil, command.Usagef("--%s has no effect with row scatters (%s)", flag, in.rows.Name)
		}
	}
	gpu, calls, err := recordings.DecodeRows(in.rows.Name, in.rows.data)
	if err != nil {
		return nil, err
	}
	progress := report.NewBar(e, "reading calls", int64(len(calls)), report.UnitsDefault)
	defer progress.Stop()
	p, fitted, err := calibration.Rows(p, in.rows.Name, gpu, calls,
		func(done, all int) { progress.SetOf(int64(done), int64(all)) })
	if err != nil {
		return nil, err
	}
	if doc.Rows = in.rows.Name; in.readings == nil {
		doc.GPU, p.Title = gpu, p.Title+", fitted"
	}
	doc.Quantities = append(doc.Quantities, fitted.Quantities...)
	unknown := slices.DeleteFunc(doc.Unidentified, func(u calibration.Unidentified) bool { return u.Name == "rows" })
	doc.Unidentified = append(unknown, fitted.Unidentified...)
	doc.Warnings = append(doc.Warnings, fitted.Warnings...)
	return p, nil
}

// fitRun fits a whole profile to a run's files.
func (doc *profileDocument) fitRun(e *env, in fitInputs, f fitFlags) (*device.Profile, error) {
	for _, flag := range []string{"device", "type", "op", "column"} {
		if f.changed(flag) {
			return nil, command.Usagef("--%s has no effect with readings (%s): the profile has no base, and "+
				"every column is fitted", flag, in.readings.Name)
		}
	}
	provenance, readings, err := recordings.DecodeReadings(in.readings.Name, in.readings.data)
	if err != nil {
		return nil, err
	}
	doc.Readings, doc.GPU = in.readings.Name, provenance.GPU
	doc.Starts, doc.driver = len(provenance.Starts), provenance.Driver
	of := calibration.Input{Name: f.name, Provenance: provenance, Readings: readings}
	if in.patterns != nil {
		doc.Patterns = in.patterns.Name
		if of.Scratchpad, err = in.patterns.sameRun(provenance); err == nil {
			of.Instructions, err = recordings.ColumnInstructions(in.patterns.Name, of.Scratchpad)
		}
		if err != nil {
			return nil, err
		}
	}
	progress := report.NewBar(e, "fitting columns", 0, report.UnitsDefault)
	defer progress.Stop()
	of.Progress = func(done, all int) { progress.SetOf(int64(done), int64(all)) }
	profile, fitted, err := calibration.Profile(of)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doc.Readings, err)
	}
	doc.Report = fitted
	for _, c := range doc.Columns {
		doc.Warnings = append(doc.Warnings, unexplained(c)...)
	}
	return profile, nil
}

// sameRun reads patterns that are of the readings' GPU, as far as they say.
func (in *fitInput) sameRun(p recordings.Provenance) (*patterns.Measurements, error) {
	m, err := patterns.ReadMeasurements(bytes.NewReader(in.data), in.Name, patterns.Words)
	if err != nil {
		return nil, err
	}
	own, err := recordings.ProvenanceOf(in.Name, m.Notes)
	if err != nil {
		return nil, err
	}
	if own.GPU != "" && p.GPU != "" && own.GPU != p.GPU {
		return nil, fmt.Errorf("%s: %w: patterns of %s, but readings of %s", in.Name, calibration.ErrData,
			own.GPU, p.GPU)
	}
	return m, nil
}

func unexplained(c calibration.ColumnFit) (warnings []string) {
	if median := c.Result.HeldOut.Median; median > 0.05 {
		warnings = append(warnings, fmt.Sprintf("column %s: no mechanism explains the rows: the "+
			"median error of those held out is %.0f %%", c.Column, 100*median))
	}
	return warnings
}

func printProfile(w *report.Page, doc profileDocument) {
	starts := "one start of the machine"
	if doc.Starts != 1 {
		starts = fmt.Sprintf("%d starts of the machine", doc.Starts)
	}
	if doc.Readings != "" {
		w.Prose("%s, driver %s: %s of %s, about half of the rows of %s", doc.GPU, doc.driver,
			doc.Readings, starts, doc.Patterns)
	}
	if doc.Rows != "" {
		w.Prose("%s: times of rows by the row scatters of %s", doc.GPU, doc.Rows)
	}
	for _, n := range doc.NotFitted {
		w.Field("not fitted", "%s holds %s", n.Name, n.Kind)
	}
	w.WriteByte('\n')
	report.Table(w, "quantity|>value|>low|>high|unit|?>median (%)|??>p90|??>max|???from", doc.Quantities,
		func(q calibration.Estimate) report.Row {
			i, from := q.Interval, q.Source
			if _, part, ok := strings.Cut(from, "): "); ok { // behind the file
				from = part
			}
			row := report.Row{q.Name, q.Value, i.Low, i.High, q.Unit, "", "", "", from}
			if r := q.Residuals; r != nil {
				row[5], row[6], row[7] = percent(r.Median), percent(r.P90), percent(r.Max)
			}
			return row
		})
	w.Prose("low and high: 95 %% interval; median, p90, max: relative residuals of the regression (for a " +
		"column: of the held-out rows; for row times: of held-out streams)")
	if len(doc.Unidentified) > 0 {
		w.WriteString("\nnot identified, or taken from elsewhere:\n")
	}
	for _, u := range doc.Unidentified {
		w.Item("  ", "%s: %s", u.Name, u.Reason)
	}
	w.WriteByte('\n')
	w.Warnings(doc.Warnings)
	if doc.out == "" {
		w.WriteString("--out FILE writes the profile, for use as --device FILE\n")
	} else {
		w.Field("profile", "%s, for use as --device", doc.out)
		w.Field("next", nextWords, trainCommand(doc.out))
	}
	if name := device.Measured(doc.GPU); name != "" {
		w.Field("built in", "--device %s is atomtune's own profile of this GPU, with a tree and intervals", name)
	}
}

type fitInput struct {
	Name string          `json:"file"`
	Kind recordings.Kind `json:"holds"`
	data []byte          // decompressed
}

// fitInputs are the files that fit was given, by what they hold. Their order does not matter.
type fitInputs struct {
	readings *fitInput
	patterns *fitInput
	rows     *fitInput
	others   []fitInput // what is not fitted, by name
}

func readInputs(e *env, files *input.WholeFiles, paths []string) (all fitInputs, err error) {
	all.others = []fitInput{}
	for _, path := range paths {
		name, data, err := files.Read(e, path)
		if err != nil {
			return all, err
		}
		in := fitInput{name, recordings.KindOf(data), data}
		to := &all.patterns
		switch in.Kind {
		case recordings.Readings:
			to = &all.readings
		case recordings.RowScatters:
			to = &all.rows
		case recordings.Other: // measured patterns, or nothing that is known
		default:
			all.others = append(all.others, in)
			continue
		}
		if *to != nil {
			return all, command.Usagef("fit takes one file of readings, one of measured patterns and one of "+
				"row scatters, but %s and %s are of the same kind; atomprobe merge combines runs",
				min((*to).Name, in.Name), max((*to).Name, in.Name))
		}
		*to = &in
	}
	if all.readings == nil && all.patterns != nil && all.rows != nil {
		all.others, all.rows = append(all.others, *all.rows), nil
	}
	slices.SortFunc(all.others, func(a, b fitInput) int { return strings.Compare(a.Name, b.Name) })
	if all.readings == nil && all.patterns == nil && all.rows == nil {
		first := all.others[0]
		return all, fmt.Errorf("%s: %w: it holds %s, which cannot be fitted", first.Name, calibration.ErrData,
			first.Kind)
	}
	return all, nil
}
