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
	w.WriteString("errors of closed forms in % of the simulated time\n\n")
	report.Table(w, "device|implementation|type|>calls|>median|>p90|>largest|>bias|status|>factor|>spread|mostly",
		doc.Rows, func(r locks.Row) report.Row {
			e, d := r.ClosedForm, r.Difference
			return report.Row{r.Device, r.Implementation, r.Type, r.Calls, inPercent(e.MedianPercent),
				inPercent(e.P90Percent), decimals(e.LargestFactor, 2), decimals(e.Bias, 2), status(e.Status),
				decimals(d.Factor, 2), decimals(d.Spread, 2), d.Mostly}
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
