package main

import (
	"bytes"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/atomtune/atomtune/collision"
)

// printStatistics prints all statistics of a stream, and how far each can be
// trusted if they come from a sample.
func printStatistics(w *bytes.Buffer, s *collision.Stats) {
	columns := []column{{title: "statistic"}, {title: "value", right: true}}
	if s.Sampled != nil {
		columns = append(columns, column{title: "±", right: true})
	}
	t := newTable(append(columns, column{title: "meaning"})...)
	for _, d := range collision.Statistics() {
		value, half := d.Value(s)
		text := number(value)
		if d.Mean(s) == nil {
			text = count(uint64(value))
		}
		row := table.Row{d.Name, text}
		if s.Sampled != nil {
			row = append(row, halfWidth(half))
		}
		t.AppendRow(append(row, d.Meaning))
	}
	printTable(w, t)
	if p := s.Sampled; p != nil {
		fmt.Fprintf(w, "\nsample: %s of %s blocks, seed %d, intervals of %s %%; unique is within %s to %s, max_frequency at least %s\n",
			count(p.Blocks), count(p.TotalBlocks), p.Seed, number(100*p.Confidence),
			count(p.UniqueLow), count(p.UniqueHigh), count(p.MaxFrequencyLow))
	}
}

// halfWidth leaves out what has no interval.
func halfWidth(half float64) string {
	if half == 0 {
		return ""
	}
	return number(half)
}
