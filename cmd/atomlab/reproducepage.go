package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// mostNumbers is how many rows of an experiment's table are printed.
const mostNumbers = 40

func printRows(w *bytes.Buffer, doc reproduceDocument) {
	for _, t := range doc.tables {
		fmt.Fprintln(w, t.Title)
		report.Table(w, strings.Join(t.Columns, "|>"), t.Cells[:min(len(t.Cells), mostNumbers)],
			func(cells []string) (row report.Row) {
				for _, cell := range cells {
					row = append(row, cell)
				}
				return row
			})
		if more := len(t.Cells) - mostNumbers; more > 0 {
			report.Fprintf(w, "and %d more rows (--out writes them)\n", more)
		}
		w.WriteByte('\n')
	}
	if len(doc.Rows) > 0 {
		printStatements(w, doc)
	}
	for _, path := range doc.Written {
		report.Fprintf(w, "wrote %s\n", path)
	}
}

func printStatements(w *bytes.Buffer, doc reproduceDocument) {
	statuses := map[string]int{}
	report.Table(w, "56:statement|18:paper|18:ours|unit|status|56:reason", doc.Rows,
		func(r papers.Row) report.Row {
			status := r.Status
			statuses[status]++
			if r.Failure() != "" {
				status = "not so here: " + status
			}
			return report.Row{r.Item, r.PaperValue, r.Ours, r.Unit, status, r.Reason}
		})
	report.Fprintf(w, "\n%d statements, %d of them known gaps; ", len(doc.Rows)-statuses[papers.Reading],
		statuses[papers.KnownGap])
	if n := statuses[papers.Reading]; n > 0 {
		report.Fprintf(w, "%d readings of ours; ", n)
	}
	if doc.Judged {
		report.Fprintf(w, "%d with a wrong status\n", len(doc.Failed))
	} else {
		report.Fprintf(w, "nothing is judged by these inputs, which do not bear out %d statuses\n",
			len(doc.Differ))
	}
}

// draw writes a figure and lists its files.
func (doc *reproduceDocument) draw(name string, figure plot.Page) error {
	files, err := drawn(name, figure)
	doc.Written = append(doc.Written, files...)
	return err
}

// drawn writes a figure and returns the names of its files.
func drawn(name string, figure plot.Page) ([]string, error) {
	if err := plot.Write(name, figure); err != nil {
		return nil, err
	}
	return []string{name + ".svg", name + ".png"}, nil
}
