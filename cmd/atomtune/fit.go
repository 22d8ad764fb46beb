package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/calibration"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/prediction"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/latency"
)

type fitFlags struct {
	input.WordFlags
	files             input.WholeFiles
	column, out, name string
	changed           func(flag string) bool // whether the flag was given
}

func newFit(e *env) *cobra.Command {
	var f fitFlags
	cmd := newCommand("fit FILE...", input.Files)
	f.Register(cmd)
	f.files.Register(cmd)
	flags := cmd.Flags()
	f.changed = flags.Changed
	flags.StringVar(&f.column, "column", "", "fit this `column` only (default: all)")
	flags.StringVar(&f.out, "out", "", "`file` to write the device profile to")
	flags.StringVar(&f.name, "name", "",
		"`name` of a whole profile (default: after the GPU, such as h200 or h100-80gb-hbm3)")
	for name, value := range map[string]string{"type": "u32", "op": "add"} {
		flag := flags.Lookup(name)
		flag.Usage += " (default: as the column is called, else " + value + ")"
		flag.DefValue = "" // it depends on the column
	}
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
		operation, base, err := f.Load()
		if err != nil {
			return err
		}
		if err := wholefile.Writable(f.out); err != nil {
			return err
		}
		in, err := readInputs(e, &f.files, args)
		if err != nil {
			return err
		}
		if in.readings != nil || in.rows != nil {
			return fitProfile(e, in, base, f)
		}
		return fitPatterns(e, in, base, operation, f)
	})
	return cmd
}

// fitPatterns fits shared-memory constants into a base.
func fitPatterns(e *env, in fitInputs, base *device.Profile, o device.Operation, f fitFlags) error {
	name := in.patterns.Name
	if f.changed("name") {
		return command.Usagef("--name is for a whole profile: %s holds no readings, and the base "+
			"keeps its name", name)
	}
	m, err := patterns.ReadMeasurements(bytes.NewReader(in.patterns.data), name,
		wordsOf(base, device.U32))
	if err != nil {
		return err
	}
	if lanes := int(base.Core.WarpLanes.Value); m.Lanes != lanes {
		return fmt.Errorf("%s: %w: rows of %d lanes, but a warp of %s has %d", name, calibration.ErrData,
			m.Lanes, base.Name, lanes)
	}
	doc := fitDocument{File: name, Rows: len(m.Patterns), Lanes: m.Lanes, Warnings: []string{},
		base: base, out: f.out}
	for _, other := range in.others {
		doc.warn("%s holds %s, which cannot be fitted", other.Name, other.Kind)
	}
	if err = doc.choose(m, o, f); err == nil {
		err = doc.fit(e, m)
	}
	if err == nil {
		err = doc.install()
	}
	switch {
	case err != nil || f.out == "":
	case doc.Profile == nil:
		err = fmt.Errorf("%s: %w: %s", doc.File, calibration.ErrData, strings.Join(doc.Warnings, "; "))
	default:
		err = wholefile.Write(f.out, doc.Profile)
	}
	if err != nil {
		return err
	}
	return report.EmitPage(e, doc, func(p *report.Page) { printFits(p, doc) })
}

// choose lists the columns to fit, with their types and operations.
func (doc *fitDocument) choose(m *patterns.Measurements, o device.Operation, f fitFlags) error {
	var names []string
	for _, c := range m.Columns {
		names = append(names, c.Name)
	}
	chosen := names
	if one := strings.TrimSuffix(f.column, "_cycles"); one != "" {
		if _, err := m.Column(one); err != nil {
			return fmt.Errorf("%s: %w", doc.File, err)
		}
		chosen = []string{one}
	} else if len(names) > 1 && (f.changed("type") || f.changed("op")) {
		return command.Usagef("%s has %d columns: --type and --op need --column (%s)", doc.File,
			len(names), input.List(names))
	}
	for _, name := range chosen {
		one := columnFit{Column: name, Type: f.Type, Operation: o}
		t, o, known := calibration.ParseColumn(name) // what no flag says
		if known && !f.changed("type") {
			one.Type = t
		}
		if known && !f.changed("op") {
			one.Operation = o
		}
		if !known && len(chosen) > 1 {
			doc.warn("column %s is not fitted: its name is not a type and operation such as u32_add; "+
				"--column with --type and --op fits it", name)
			continue
		}
		doc.Fits = append(doc.Fits, one)
	}
	if len(doc.Fits) == 0 {
		return fmt.Errorf("%s: %w: no column has a name such as u32_add (the columns are %s)", doc.File,
			calibration.ErrData, input.List(names))
	}
	return nil
}

// fit fits the columns. It refuses addresses that hold words of 4 bytes, but none of a column's type.
func (doc *fitDocument) fit(e *env, m *patterns.Measurements) error {
	all := make([]calibration.ColumnFit, len(doc.Fits))
	for i, c := range doc.Fits {
		all[i] = calibration.ColumnFit(c)
		words := wordsOf(doc.base, c.Type)
		for j, p := range m.Patterns {
			if lane := slices.IndexFunc(p, func(a int32) bool { return int(a) >= words }); lane >= 0 {
				return fmt.Errorf("%s:%d: %w: lane %d: address %d lies beyond the shared memory of %d words of type %s",
					doc.File, m.Lines[j], patterns.ErrPattern, lane, p[lane], words, c.Type)
			}
		}
	}
	progress := report.NewBar(e, "fitting columns", int64(len(doc.Fits)), report.UnitsDefault)
	progress.Show()
	defer progress.Stop()
	err := calibration.Columns(m, all, int(doc.base.Shared.BankBytes.Value),
		func(done, all int) { progress.SetOf(int64(done), int64(all)) })
	if err != nil {
		return fmt.Errorf("%s: %w", doc.File, err)
	}
	for i, c := range all {
		doc.Fits[i] = columnFit(c)
		doc.Warnings = append(doc.Warnings, unexplained(c)...)
	}
	return nil
}

type fitDocument struct {
	File     string          `json:"file"`
	Rows     int             `json:"rows"`
	Lanes    int             `json:"lanes"`
	Fits     []columnFit     `json:"fits"`
	Profile  json.RawMessage `json:"profile,omitempty"`
	Warnings []string        `json:"warnings"`
	base     *device.Profile
	out      string
}

// columnFit is the fit of one column. Its JSON has the fields of the result behind its own.
type columnFit calibration.ColumnFit

func (c columnFit) MarshalJSON() ([]byte, error) {
	head, err := json.Marshal(struct {
		Column    string           `json:"column"`
		Type      device.Type      `json:"type"`
		Operation device.Operation `json:"operation"`
	}{c.Column, c.Type, c.Operation})
	if err != nil {
		return nil, err
	}
	result, err := json.Marshal(c.Result)
	if err != nil {
		return nil, err
	}
	return append(append(head[:len(head)-1], ','), result[1:]...), nil
}

// install puts the fits into the base profile; one that it cannot hold is warned of.
func (doc *fitDocument) install() error {
	profile := doc.base
	installed := map[int]latency.Params{} // by number of the fit
	for i, c := range doc.Fits {
		source := fmt.Sprintf("%s, column %s", doc.File, c.Column)
		next, err := calibration.Install(profile, c.Operation, c.Type, c.Result, source)
		if err == nil {
			installed[i], err = latency.ForDevice(next, c.Operation, c.Type)
		}
		if err != nil {
			doc.warn("column %s is not added to the profile: %s", c.Column, err)
			continue
		}
		profile = next
	}
	if len(installed) == 0 {
		return nil
	}
	for i, c := range doc.Fits {
		want, ok := installed[i]
		last, err := latency.ForDevice(profile, c.Operation, c.Type)
		if ok && (err != nil || last != want) {
			doc.warn("the profile's %s %s differs from column %s: a column fitted later shares its "+
				"entry in %s, or found another number of banks", c.Type, c.Operation, c.Column,
				doc.base.Name)
		}
	}
	profile.Title += ", fitted"
	doc.Warnings = append(doc.Warnings, profile.Doubts()...)
	var err error
	doc.Profile, err = profile.Encode()
	return err
}

func (doc *fitDocument) warn(format string, args ...any) {
	doc.Warnings = append(doc.Warnings, fmt.Sprintf(format, args...))
}

func printFits(w *report.Page, doc fitDocument) {
	w.Prose("%s: %s rows of %d lanes, about half of them fitted, the others held out",
		doc.File, report.Count(doc.Rows), doc.Lanes)
	for _, c := range doc.Fits {
		w.WriteByte('\n')
		printFit(w, c)
	}
	w.WriteByte('\n')
	w.Warnings(doc.Warnings)
	switch {
	case doc.Profile == nil:
	case doc.out == "":
		w.Field("base", "%s; --out FILE writes it with these constants, for use as --device FILE",
			doc.base.Title)
	default:
		w.Field("profile", "%s, %s with these constants", doc.out, doc.base.Title)
		w.Field("next", nextWords, trainCommand(doc.out))
	}
}

func printFit(w *report.Page, c columnFit) {
	p := c.Result.Params
	report.Fprintf(w, "%s: %s %s, mechanism %s, %d banks", c.Column, c.Type, c.Operation, p.Mechanism,
		p.Banks)
	switch {
	case p.Loops() && p.Locks > 0:
		report.Fprintf(w, ", %s locks", report.Count(p.Locks))
	case p.Loops():
		w.WriteString(", one lock per word")
	}
	w.WriteString("\n\n")
	var rows []report.Row
	for _, k := range c.Result.Constants {
		rows = append(rows, report.Row{k.Name, hundredths(k.Cycles), hundredths(k.Interval.Low),
			hundredths(k.Interval.High), prediction.Meaning(k.Name, p.Mechanism)})
	}
	if p.StepIteration > 0 {
		rows = append(rows, report.Row{"step_turn", p.StepIteration, "", "",
			"the round from which step is added"})
	}
	report.Cells(w, "constant|>cycles|>low|>high|60:meaning", rows)
	r := c.Result
	w.WriteByte('\n')
	cells := func(of string, r calibration.Residuals) report.Row {
		return report.Row{of, r.Rows, percent(r.Median), percent(r.P90), percent(r.P95), percent(r.Max)}
	}
	report.Cells(w, "relative error (%)|>rows|>median|>p90|>p95|>max",
		[]report.Row{cells("fitted", r.Fitted), cells("held out", r.HeldOut)})
	report.Fprintf(w, "outliers: %s of the fitted rows have no weight\n", report.Count(r.Outliers))
	for _, u := range r.Unidentified {
		w.Field("not identified", "%s: %s", u.Name, u.Reason)
	}
}

const nextWords = "%s trains its tree on simulated streams, for --model"

func percent(x float64) string { return fmt.Sprintf("%.3f", 100*x) }

// hundredths prints cycles as precisely as a profile holds them.
func hundredths(cycles float64) string { return fmt.Sprintf("%.2f", cycles) }
