package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/prediction"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/fit"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/latency"
)

// fitDocument is what fit prints.
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

// columnFit is the fit of one column. Its JSON has the fields of the result
// behind its own.
type columnFit struct {
	Column    string
	Type      device.Type
	Operation device.Operation
	Result    fit.Result
}

// MarshalJSON implements json.Marshaler.
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

// install puts the fits into the base profile, one after the other. A fit that
// the profile cannot hold is left out with a warning.
func (doc *fitDocument) install() error {
	profile := doc.base
	installed := map[int]latency.Params{} // by number of the fit
	for i, c := range doc.Fits {
		source := fmt.Sprintf("%s, column %s", doc.File, c.Column)
		next, err := fit.Install(profile, c.Operation, c.Type, c.Result, source)
		if err == nil {
			installed[i], err = latency.ForDevice(next, c.Operation, c.Type)
		}
		if err != nil {
			doc.warn("column %s does not go into the profile: %s", c.Column, err)
			continue
		}
		profile = next
	}
	if len(installed) == 0 {
		return nil
	}
	for i, c := range doc.Fits {
		want, ok := installed[i]
		if last, err := latency.ForDevice(profile, c.Operation, c.Type); ok && (err != nil || last != want) {
			doc.warn("the profile's %s %s differs from column %s: a column fitted later shares its entry in %s, or found another number of banks",
				c.Type, c.Operation, c.Column, doc.base.Name)
		}
	}
	profile.Title += ", fitted"
	var err error
	doc.Profile, err = profile.Encode()
	return err
}

func (doc *fitDocument) warn(format string, args ...any) {
	doc.Warnings = append(doc.Warnings, fmt.Sprintf(format, args...))
}

// printFits prints all fits, and what became of them.
func printFits(w *bytes.Buffer, doc fitDocument) {
	fmt.Fprintf(w, "%s: %s rows of %d lanes, about half of them fitted, the others held out\n", doc.File, report.Count(uint64(doc.Rows)), doc.Lanes)
	for _, c := range doc.Fits {
		w.WriteByte('\n')
		printFit(w, c)
	}
	w.WriteByte('\n')
	for _, text := range doc.Warnings {
		fmt.Fprintf(w, "warning: %s\n", text)
	}
	switch {
	case doc.Profile == nil:
	case doc.out == "":
		fmt.Fprintf(w, "base: %s; --out FILE writes it with these constants, for use as --device FILE\n", doc.base.Title)
	default:
		fmt.Fprintf(w, "profile: %s, %s with these constants\n", doc.out, doc.base.Title)
	}
}

func printFit(w *bytes.Buffer, c columnFit) {
	p := c.Result.Params
	fmt.Fprintf(w, "%s: %s %s, mechanism %s, %d banks", c.Column, c.Type, c.Operation, p.Mechanism, p.Banks)
	switch {
	case p.Loops() && p.Locks > 0:
		fmt.Fprintf(w, ", %s locks", report.Count(uint64(p.Locks)))
	case p.Loops():
		w.WriteString(", a lock for each word")
	}
	w.WriteString("\n\n")
	t := report.NewTable(report.Left("constant"), report.Right("cycles"), report.Right("low"),
		report.Right("high"), report.Left("meaning"))
	for _, k := range c.Result.Constants {
		t.AppendRow(table.Row{k.Name, hundredths(k.Cycles), hundredths(k.Interval.Low), hundredths(k.Interval.High), prediction.Meaning(k.Name, p.Mechanism)})
	}
	if p.StepTurn > 0 {
		t.AppendRow(table.Row{"step_turn", p.StepTurn, "", "", "the round from which on step is added"})
	}
	report.PrintTable(w, t)
	printResiduals(w, c.Result)
}

// printResiduals says how well a fit meets the rows, and what they do not
// tell.
func printResiduals(w *bytes.Buffer, r fit.Result) {
	t := report.NewTable(report.Left("relative error (%)"), report.Right("rows"),
		report.Right("median"), report.Right("p90"), report.Right("p95"), report.Right("max"))
	for _, set := range []struct {
		name string
		r    fit.Residuals
	}{{"fitted", r.Fitted}, {"held out", r.HeldOut}} {
		t.AppendRow(table.Row{set.name, report.Count(uint64(set.r.Rows)), percent(set.r.Median), percent(set.r.P90), percent(set.r.P95), percent(set.r.Max)})
	}
	w.WriteByte('\n')
	report.PrintTable(w, t)
	fmt.Fprintf(w, "outliers: %s of the fitted rows have no weight\n", report.Count(uint64(r.Outliers)))
	for _, u := range r.Unidentified {
		fmt.Fprintf(w, "not identified: %s: %s\n", u.Name, u.Reason)
	}
}

// percent prints a fraction as a percentage, to a thousandth.
func percent(x float64) string { return fmt.Sprintf("%.3f", 100*x) }

// hundredths prints cycles as precisely as a profile holds them.
func hundredths(cycles float64) string { return fmt.Sprintf("%.2f", cycles) }
