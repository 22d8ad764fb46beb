package main

import (
	"bytes"
	"fmt"

	"github.com/atomtune/atomtune/lab/plot"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/lab/papers"
)

func printRows(w *bytes.Buffer, doc reproduceDocument) {
	for _, t := range doc.tables {
		printNumbers(w, t)
	}
	t := report.NewTable(report.Column{Title: "statement", Width: 56},
		report.Column{Title: "paper", Width: 18}, report.Column{Title: "ours", Width: 18},
		report.Left("unit"), report.Left("status"), report.Column{Title: "reason", Width: 56})
	for _, r := range doc.Rows {
		status := r.Status
		if r.Failure() != "" {
			status = "not so here: " + status
		}
		t.AppendRow(table.Row{r.Item, r.PaperValue, r.Ours, r.Unit, status, r.Reason})
	}
	report.PrintTable(w, t)
	gaps := 0
	for _, r := range doc.Rows {
		if r.Status == papers.KnownGap {
			gaps++
		}
	}
	fmt.Fprintf(w, "\n%d statements, %d of them known gaps; %d with a wrong status", len(doc.Rows), gaps, len(doc.Failed))
	if len(doc.Differ) > 0 {
		fmt.Fprintf(w, ", %d that these images do not bear out", len(doc.Differ))
	}
	w.WriteByte('\n')
	for _, path := range doc.Written {
		fmt.Fprintf(w, "wrote %s\n", path)
	}
}

// mostNumbers is how many rows of an experiment's table are printed.
const mostNumbers = 40

// printNumbers prints a table of an experiment.
func printNumbers(w *bytes.Buffer, numbers papers.Table) {
	columns := make([]report.Column, len(numbers.Columns))
	for i, title := range numbers.Columns {
		columns[i] = report.Column{Title: title, Right: i > 0}
	}
	fmt.Fprintf(w, "%s\n", numbers.Title)
	t := report.NewTable(columns...)
	for _, cells := range numbers.Cells[:min(len(numbers.Cells), mostNumbers)] {
		row := make(table.Row, len(cells))
		for i, cell := range cells {
			row[i] = cell
		}
		t.AppendRow(row)
	}
	report.PrintTable(w, t)
	if more := len(numbers.Cells) - mostNumbers; more > 0 {
		fmt.Fprintf(w, "and %d more rows (--out writes them)\n", more)
	}
	w.WriteByte('\n')
}

// drawn writes a figure and returns the names of its files.
func drawn(name string, figure plot.Page) ([]string, error) {
	if err := plot.Write(name, figure); err != nil {
		return nil, err
	}
	return []string{name + ".svg", name + ".png"}, nil
}
