// Package analysis prints how the updates of a stream collide.
package analysis

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
)

// Print prints a stream and all its statistics.
func Print(w *bytes.Buffer, doc input.StreamDocument) {
	PrintStream(w, doc)
	w.WriteByte('\n')
	printStatistics(w, &doc.Stats)
}

// PrintStream prints what the stream is, in one line.
func PrintStream(w *bytes.Buffer, doc input.StreamDocument) {
	ignored := ""
	if doc.Ignored > 0 {
		ignored = " beside " + report.Counted(int(doc.Ignored), "ignored position")
	}
	fmt.Fprintf(w, "%s: %s updates of %s targets%s, read and measured in %s s, %s\n", doc.Title(),
		report.Count(doc.Updates), report.Count(doc.Bins), ignored, report.Number(doc.ElapsedS),
		report.BytesPerSecond(doc.BytesPerSecond))
}

// printStatistics prints all statistics, and of a sample how far each can be trusted.
func printStatistics(w *bytes.Buffer, s *collision.Stats) {
	titles := "statistic|>value|meaning"
	if s.Sampled != nil {
		titles = "statistic|>value|>±|meaning"
	}
	single := slices.DeleteFunc(collision.Statistics(),
		func(d collision.Statistic) bool { return d.Element })
	report.Table(w, titles, single, func(d collision.Statistic) report.Row {
		value, half := d.Value(s)
		row := report.Row{d.Name, value}
		if d.Mean(s) == nil {
			row[1] = uint64(value)
		}
		if s.Sampled != nil {
			row = append(row, "") // what has no interval
			if half != 0 {
				row[2] = half
			}
		}
		return append(row, d.Meaning)
	})
	if s.HotKnown() {
		printHot(w, s)
	}
	if p := s.Sampled; p != nil {
		fmt.Fprintf(w, "\nsample: %s of %s blocks, seed %d, intervals of %s %%; unique is within %s "+
			"to %s, max_frequency at least %s\n", report.Count(p.Blocks),
			report.Count(p.TotalBlocks), p.Seed, report.Number(100*p.Confidence),
			report.Count(p.UniqueLow), report.Count(p.UniqueHigh), report.Count(p.MaxFrequencyLow))
	}
}

// printHot prints what the most frequent targets get, and what tables of them leave over.
func printHot(w *bytes.Buffer, s *collision.Stats) {
	known := "hot targets"
	if s.Sampled != nil {
		known = "hot targets that half of the sample finds, which get more where all are known"
	}
	var shares []string
	for j := 0; j < len(s.Cover); j += 2 {
		share := report.Number(100 * s.Cover[j])
		verb := "get"
		if j == 0 {
			verb = "gets"
		}
		shares = append(shares, fmt.Sprintf("%s %s %s %%", report.Count(1<<j), verb, share))
		if uint64(1)<<j >= s.Unique {
			break
		}
	}
	fmt.Fprintf(w, "\n%s: %s\n\nA table of them leaves over in a warp, and of one target in all:\n\n",
		known, strings.Join(shares, ", "))
	titles := ">slots|>updates|>different targets|>highest frequency|>sectors, 4 B|>8 B|" +
		">most updates of a target"
	var rows []report.Row
	for i, m := range s.Misses {
		rows = append(rows, report.Row{collision.TableSlots(i), m.Lanes, m.Distinct, m.Highest,
			m.Sectors4, m.Sectors8, m.Frequency})
	}
	report.Cells(w, titles, rows)
}
