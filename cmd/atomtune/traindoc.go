package main

import (
	"bytes"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// trainDocument is what train prints.
type trainDocument struct {
	Device string `json:"device"`
	Points int    `json:"points"` // of the sweep
	Seed   uint64 `json:"seed"`
	Shard  string `json:"shard"`
	Rows   int    `json:"rows"` // points that were simulated
	// What follows, but for the last, is left out where there is none.
	Journal    string            `json:"journal,omitempty"`
	RowsFile   string            `json:"rows_file,omitempty"` // the parts' rows as one journal
	Model      string            `json:"model,omitempty"`
	Trees      *int              `json:"trees,omitempty"` // of the model that correct a closed form
	Evaluation *model.Evaluation `json:"evaluation,omitempty"`
	ElapsedS   float64           `json:"elapsed_s"`
}

// grown counts the trees of a model that correct their closed form.
func grown(m *model.Model) *int {
	n := 0
	for i := range m.Implementations {
		if m.Implementations[i].Shrink > 0 {
			n++
		}
	}
	return &n
}

func printTraining(w *bytes.Buffer, doc trainDocument) {
	part := ""
	if doc.Shard != (training.Shard{}).String() {
		part = "shard " + doc.Shard + ", "
	}
	fmt.Fprintf(w, "%s: %s of %s points, %sseed %d, in %s s\n", doc.Device,
		report.Count(uint64(doc.Rows)), report.Count(uint64(doc.Points)), part, doc.Seed, report.Number(doc.ElapsedS))
	for _, f := range []struct{ what, path string }{{"journal", doc.Journal}, {"rows", doc.RowsFile}, {"model", doc.Model}} {
		if f.path != "" {
			fmt.Fprintf(w, "%s: %s\n", f.what, f.path)
		}
	}
	if doc.Model != "" {
		printEvaluation(w, doc)
	}
}

// printEvaluation prints what the model's choices lose.
func printEvaluation(w *bytes.Buffer, doc trainDocument) {
	if doc.Trees != nil && *doc.Trees == 0 {
		w.WriteString("no tree was kept: on families that they had not seen, none chose better than the closed forms alone\n")
	}
	e := doc.Evaluation
	rows := []lossRow{
		{"fitted without the line", e.HeldOut}, {"fitted without the family", e.FamilyOut},
		{"none (closed forms)", e.ClosedForm}, {"none (always naive)", e.Naive},
	}
	screened := e.Complete.Points < e.HeldOut.Points
	if screened && e.Complete.Points > 0 {
		rows = append(rows, lossRow{"nothing screened", e.Complete}, lossRow{"screening", e.Screening})
	}
	w.WriteString("\ntime of the choice over the best time:\n\n")
	t := report.NewTable(report.Left("trees"), report.Right("points"),
		report.Right("geometric mean"), report.Right("p90"), report.Right("max"))
	for _, r := range rows {
		t.AppendRow(table.Row{r.name, r.loss.Points, report.Number(r.loss.GeometricMean), report.Number(r.loss.P90), report.Number(r.loss.Max)})
	}
	report.PrintTable(w, t)
	if screened {
		w.WriteString(naiveNote)
	}
	if screened && e.Complete.Points > 0 {
		w.WriteString(screenedNote)
	}
}

// lossRow is a row of the table of losses.
type lossRow struct {
	name string
	loss model.Loss
}

// What the rows of a screened sweep mean.
const naiveNote = `
Screening left implementations out: "always naive" counts only the points where naive
was left in, which are kinder to it than the others.
`

const screenedNote = `"nothing screened" is "fitted without the family" on the points that are complete,
"screening" what the best of those costs there that screening would have left.
`
