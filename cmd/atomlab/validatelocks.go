package main

import (
	"bytes"
	"fmt"

	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/locks"
)

type locksDocument struct {
	Subject string `json:"subject"`
	locks.Report
}

func (e *env) validateLocks() error {
	r, err := locks.Locks()
	if err != nil {
		return err
	}
	doc := locksDocument{"locks", r}
	if err := e.Emit(doc, func(w *bytes.Buffer) { printLocks(w, doc) }); err != nil {
		return err
	}
	return notValid(doc.Subject, doc.Failed)
}

func printLocks(w *bytes.Buffer, doc locksDocument) {
	w.WriteString("errors in % of the simulated time; " +
		"trees have not seen the family of the stream\n\n")
	report.Table(w, "device|implementation|type|>calls|"+
		">closed form: median|>p90|>largest|>bias|status|"+
		">with trees: median|>p90|>largest|>bias|status|>correction|>spread|mostly", doc.Rows,
		func(r locks.Row) report.Row {
			row := report.Row{r.Device, r.Implementation, r.Type, r.Calls}
			for _, e := range []locks.Error{r.ClosedForm, r.Corrected} {
				row = append(row, inPercent(e.MedianPercent), inPercent(e.P90Percent),
					decimals(e.LargestFactor, 2), decimals(e.Bias, 2), status(e.Status))
			}
			c := r.Correction
			return append(row, decimals(c.Factor, 2), decimals(c.Spread, 2), c.Mostly)
		})
	w.WriteString("\ntime of the choice over the best: geometric mean, 90th percentile, maximum\n\n")
	report.Table(w, "device|choices|>points|>mean|>p90|>maximum|worst on|type|chosen|best",
		doc.Choices, func(c locks.Choices) report.Row {
			return report.Row{c.Device, c.Rule, c.Points, decimals(c.GeometricMean, 3),
				decimals(c.P90, 3), decimals(c.Max, 2), c.Worst.Stream, c.Worst.Type, c.Worst.Choice,
				c.Worst.Best}
		})
	gaps := 0
	for _, c := range doc.Checks {
		if c.Status == validate.KnownGap {
			gaps++
		}
	}
	w.WriteByte('\n')
	printEnd(w, doc.Failed, nil,
		fmt.Sprintf("%d checks, %d known gaps (--json says what holds instead, and why), %d failed\n",
			len(doc.Checks), gaps, len(doc.Failed)))
}
