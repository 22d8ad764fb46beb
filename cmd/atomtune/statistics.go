package main

import (
	"bytes"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/internal/command/report"
)

// printStatistics prints all statistics of a stream, and how far each can be
// trusted if they come from a sample.
func printStatistics(w *bytes.Buffer, s *collision.Stats) {
	columns := []report.Column{report.Left("statistic"), report.Right("value")}
	if s.Sampled != nil {
		columns = append(columns, report.Right("±"))
	}
	t := report.NewTable(append(columns, report.Left("meaning"))...)
	for _, d := range collision.Statistics() {
		value, half := d.Value(s)
		text := report.Number(value)
		if d.Mean(s) == nil {
			text = report.Count(uint64(value))
		}
		row := table.Row{d.Name, text}
		if s.Sampled != nil {
			row = append(row, halfWidth(half))
		}
		t.AppendRow(append(row, d.Meaning))
	}
	report.PrintTable(w, t)
	if p := s.Sampled; p != nil {
		fmt.Fprintf(w, "\nsample: %s of %s blocks, seed %d, intervals of %s %%; unique is within %s to %s, max_frequency at least %s\n",
			report.Count(p.Blocks), report.Count(p.TotalBlocks), p.Seed, report.Number(100*p.Confidence),
			report.Count(p.UniqueLow), report.Count(p.UniqueHigh), report.Count(p.MaxFrequencyLow))
	}
}

// halfWidth leaves out what has no interval.
func halfWidth(half float64) string {
	if half == 0 {
		return ""
	}
	return report.Number(half)
}
