package main

import (
	"bytes"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/lab/validate/learners"
	"github.com/atomtune/atomtune/lab/validate/online"
)

// printOnline prints what repeated launches lose, and the regret that is stated.
func printOnline(w *bytes.Buffer, rows []online.OnlineRow) {
	w.WriteString("\nheld-out half, repeated launches: their time over that of as many of the best fixed implementation\n\n")
	t := report.NewTable(report.Column{Title: "rule", Width: 60}, report.Column{Title: "launches", Right: true}, report.Column{Title: "loss", Right: true},
		report.Column{Title: "stated regret (launches)", Right: true}, report.Column{Title: "beyond it", Right: true})
	for _, r := range rows {
		lost, beyond := "-", "-"
		if s := r.Stated; s != nil {
			lost = fmt.Sprintf("%s + %.4g %%", report.Number(s.LostLaunches), 100*s.Epsilon)
			beyond = fmt.Sprintf("%d of %d", s.Beyond, r.Questions)
		}
		t.AppendRow(table.Row{r.Rule, report.Count(uint64(r.Launches)), losses(r.Loss), lost, beyond})
	}
	report.PrintTable(w, t)
}

// printLearners prints how learners fared, device by device and judge by judge.
func printLearners(w *bytes.Buffer, rows []learners.LearnerRow) {
	for len(rows) > 0 {
		first, end := rows[0], 1
		for end < len(rows) && rows[end].Device == first.Device && rows[end].Judge == first.Judge {
			end++
		}
		fmt.Fprintf(w, "\nlearners on %s, %s\n\n", first.Device, first.Judge)
		t := report.NewTable(report.Column{Title: "learner"}, report.Column{Title: "fitted on", Right: true}, report.Column{Title: "judged on", Right: true},
			report.Column{Title: "loss", Right: true}, report.Column{Title: "ln error, rmse", Right: true}, report.Column{Title: "p90", Right: true})
		for _, r := range rows[:end] {
			rmse, p90 := "-", "-"
			if r.Error != nil {
				rmse, p90 = fmt.Sprintf("%.3f", r.Error.RMSE), fmt.Sprintf("%.3f", r.Error.P90)
			}
			t.AppendRow(table.Row{r.Learner, report.Count(uint64(r.Samples)), report.Count(uint64(r.Loss.Points)), losses(r.Loss), rmse, p90})
		}
		report.PrintTable(w, t)
		rows = rows[end:]
	}
}
