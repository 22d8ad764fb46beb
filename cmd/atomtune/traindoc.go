package main

import (
	"bytes"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/atomtune/atomtune/tuner"
)

// trainDocument is what train prints.
type trainDocument struct {
	Device string `json:"device"`
	Points int    `json:"points"` // of the sweep
	Seed   uint64 `json:"seed"`
	Shard  string `json:"shard"`
	Rows   int    `json:"rows"` // points that were simulated
	// Journal, Model and Evaluation are left out where there is none.
	Journal    string            `json:"journal,omitempty"`
	Model      string            `json:"model,omitempty"`
	Evaluation *tuner.Evaluation `json:"evaluation,omitempty"`
	ElapsedS   float64           `json:"elapsed_s"`
}

func printTraining(w *bytes.Buffer, doc trainDocument) {
	fmt.Fprintf(w, "%s: %s of %s points, shard %s, seed %d, in %s s\n", doc.Device,
		count(uint64(doc.Rows)), count(uint64(doc.Points)), doc.Shard, doc.Seed, number(doc.ElapsedS))
	if doc.Journal != "" {
		fmt.Fprintf(w, "journal: %s\n", doc.Journal)
	}
	if doc.Model == "" {
		return
	}
	fmt.Fprintf(w, "model: %s\n\ntime of the choice over the best time:\n\n", doc.Model)
	t := newTable(column{title: "trees"}, column{title: "points", right: true},
		column{title: "geometric mean", right: true}, column{title: "p90", right: true}, column{title: "max", right: true})
	for _, r := range []struct {
		name string
		loss tuner.Loss
	}{
		{"fitted without the point", doc.Evaluation.HeldOut}, {"fitted without the family", doc.Evaluation.FamilyOut},
		{"none (closed forms)", doc.Evaluation.ClosedForm}, {"none (always naive)", doc.Evaluation.Naive},
	} {
		t.AppendRow(table.Row{r.name, r.loss.Points, number(r.loss.GeometricMean), number(r.loss.P90), number(r.loss.Max)})
	}
	printTable(w, t)
}
