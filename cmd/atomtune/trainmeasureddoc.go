package main

import (
	"bytes"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner/calibration"
	"github.com/atomtune/atomtune/tuner/model"
)

// measuredDocument is what train --measurements prints.
type measuredDocument struct {
	Device       string             `json:"device"`
	Base         string             `json:"base"` // what was corrected
	Caveat       string             `json:"caveat,omitempty"`
	Warnings     []string           `json:"warnings"`
	Measurements string             `json:"measurements"`
	Statistics   string             `json:"statistics"` // of the streams
	Points       int                `json:"points"`
	Passed       int                `json:"passed_over"` // calls that were predicted or wrong
	Model        string             `json:"model"`
	Calibration  *model.Calibration `json:"calibration"`
	Offsets      []measuredOffset   `json:"offsets"`
	ElapsedS     float64            `json:"elapsed_s"`
}

// measuredOffset is an implementation's correction.
type measuredOffset struct {
	model.Offset
	Measured int `json:"measured"` // points with a time of it
}

func (doc *measuredDocument) fill(m *model.Model, points []calibration.Measured) {
	doc.Points, doc.Calibration, doc.Offsets = m.MeasuredPoints, m.Calibration, []measuredOffset{}
	for _, o := range m.Offsets() {
		row := measuredOffset{Offset: o}
		for _, p := range points {
			if _, ok := p.US[o.Implementation]; ok {
				row.Measured++
			}
		}
		doc.Offsets = append(doc.Offsets, row)
	}
}

func printMeasured(w *bytes.Buffer, doc measuredDocument) {
	c := doc.Calibration
	fmt.Fprintf(w, "%s: %s corrected by %s of %s, in %s s\n", doc.Device, doc.Base,
		report.Counted(doc.Points, "measured point"), report.Counted(c.Streams, "stream"), report.Number(doc.ElapsedS))
	if doc.Caveat != "" {
		fmt.Fprintf(w, "%s\n", doc.Caveat)
	}
	if doc.Passed > 0 {
		fmt.Fprintf(w, "passed over: %s predicted, or with wrong results\n", report.Counted(doc.Passed, "call"))
	}
	fmt.Fprintf(w, "model: %s\ncorrection: %s\n", doc.Model, correction(c))
	if c.Renewed {
		fmt.Fprintf(w, "90 %% intervals renewed: they hold %.1f %% of the times of streams left out\n", 100*c.Coverage)
	} else {
		fmt.Fprintf(w, "90 %% intervals as before: too few points\n")
	}
	fmt.Fprintf(w, "\nchoices on streams left out, time of the choice over the best measured:\n\n")
	t := report.NewTable(report.Left("model"), report.Right("points"),
		report.Right("geometric mean"), report.Right("p90"), report.Right("max"),
		report.Right("predicted time off by (mean)"))
	for _, r := range []struct {
		name string
		of   model.Fidelity
	}{{"before", c.Before}, {"corrected", c.After}} {
		l := r.of.Loss
		t.AppendRow(table.Row{r.name, l.Points, report.Number(l.GeometricMean), report.Number(l.P90), report.Number(l.Max),
			fmt.Sprintf("%.1f %%", 100*r.of.MeanError)})
	}
	report.PrintTable(w, t)
	printOffsets(w, doc.Offsets)
}

// correction says in words what was chosen.
func correction(c *model.Calibration) string {
	switch {
	case c.Leaves == 0:
		return "none: no correction did better on streams left out"
	case !c.Apart:
		return "one factor for all implementations"
	case c.Leaves == 1:
		return "a factor for each implementation"
	}
	return fmt.Sprintf("a tree of up to %d leaves", c.Leaves)
}

func printOffsets(w *bytes.Buffer, offsets []measuredOffset) {
	fmt.Fprintf(w, "\nfactors of predicted times:\n\n")
	t := report.NewTable(report.Left("implementation"), report.Right("measured"),
		report.Right("mean"), report.Right("least"), report.Right("greatest"))
	for _, o := range offsets {
		t.AppendRow(table.Row{o.Implementation, o.Measured, report.Number(o.Factor), report.Number(o.Lowest), report.Number(o.Highest)})
	}
	report.PrintTable(w, t)
}
