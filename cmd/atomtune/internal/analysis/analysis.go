// Package analysis prints how the updates of a stream collide.
package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
)

// Print prints a stream and all its statistics.
func Print(p *report.Page, doc input.StreamDocument) {
	p.Prose("%s, read and measured in %s s, %s", Sizes(doc), report.Number(doc.ElapsedS),
		report.BytesPerSecond(doc.BytesPerSecond))
	p.WriteByte('\n')
	printStatistics(p, &doc.Stats)
	if doc.Rows != nil {
		printRows(p, &doc)
	}
}

// Sizes says what the stream is and how long.
func Sizes(doc input.StreamDocument) string {
	ignored := ""
	if doc.Ignored > 0 {
		ignored = " beside " + report.Counted(doc.Ignored, "ignored position")
	}
	return fmt.Sprintf("%s: %s of %s%s", doc.Title(), report.Counted(doc.Updates, "update"),
		report.Counted(doc.Bins, "target"), ignored)
}

// printStatistics prints all statistics, and of a sample how far each can be trusted.
func printStatistics(p *report.Page, s *collision.Stats) {
	titles := "statistic|>value|60:meaning"
	if s.Sampled != nil {
		titles = "statistic|>value|>±|60:meaning"
	}
	single := slices.DeleteFunc(collision.Statistics(),
		func(d collision.Statistic) bool { return d.Element })
	report.Table(p, titles, single, func(d collision.Statistic) report.Row {
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
		printHot(p, s)
	}
	if of := s.Sampled; of != nil {
		p.WriteByte('\n')
		p.Field("sample", "%s of %s blocks, seed %d, intervals of %s %%; unique is within %s to %s, "+
			"max_frequency at least %s", report.Count(of.Blocks), report.Count(of.TotalBlocks), of.Seed,
			report.Number(100*of.Confidence), report.Count(of.UniqueLow), report.Count(of.UniqueHigh),
			report.Count(of.MaxFrequencyLow))
	}
}

// printHot prints what the most frequent targets get, and what tables of them leave over.
func printHot(p *report.Page, s *collision.Stats) {
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
	p.WriteByte('\n')
	p.Prose("%s: %s", known, strings.Join(shares, ", "))
	p.WriteByte('\n')
	p.Prose("What a table with so many slots for them leaves in a warp: updates, different targets, " +
		"updates of the most frequent one, sectors of 4 and of 8 byte targets; and the most updates of " +
		"one target in all:")
	p.WriteByte('\n')
	titles := ">slots|>updates|>different|>highest|>sectors, 4 B|>8 B|>of one target"
	var rows []report.Row
	for i, m := range s.Misses {
		rows = append(rows, report.Row{collision.TableSlots(i), m.Lanes, m.Distinct, m.Highest,
			m.Sectors4, m.Sectors8, m.Frequency})
	}
	report.Cells(p, titles, rows)
}
