package choice

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/collision/reuse"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner"
)

// PrintStream writes how the updates of a stream collide.
func PrintStream(p *report.Page, doc *tuner.Stream) {
	p.Prose("%s, read and measured in %s s, %s", sizes(doc), report.Number(doc.ElapsedS),
		report.BytesPerSecond(doc.BytesPerSecond))
	p.WriteByte('\n')
	printStatistics(p, doc.Stats)
	if doc.Rows != nil {
		printRows(p, doc)
	}
}

// sizes says what the stream is and how long.
func sizes(doc *tuner.Stream) string {
	ignored := ""
	if doc.Ignored > 0 {
		ignored = " and " + report.Counted(doc.Ignored, "ignored position")
	}
	return fmt.Sprintf("%s: %s of %s%s", doc.Title(), report.Counted(doc.Updates, "update"),
		report.Counted(doc.Bins, "target"), ignored)
}

// Statistic is a statistic as people read it; Half is empty where it has no interval.
type Statistic struct{ Name, Value, Half, Meaning string }

// Statistics are those of a stream, but for the elements of arrays.
func Statistics(s *collision.Stats) (list []Statistic) {
	for _, d := range collision.Statistics() {
		if d.Element {
			continue
		}
		value, half := d.Value(s)
		row := Statistic{Name: d.Name, Value: report.Number(value), Meaning: d.Meaning}
		if d.Mean(s) == nil {
			row.Value = report.Count(uint64(value))
		}
		if half != 0 {
			row.Half = report.Number(half)
		}
		list = append(list, row)
	}
	return list
}

// printStatistics prints all statistics, and of a sample how far each can be trusted.
func printStatistics(p *report.Page, s *collision.Stats) {
	titles := "statistic|>value|60:meaning"
	if s.Sampled != nil {
		titles = "statistic|>value|>±|60:meaning"
	}
	report.Table(p, titles, Statistics(s), func(d Statistic) report.Row {
		if s.Sampled != nil {
			return report.Row{d.Name, d.Value, d.Half, d.Meaning}
		}
		return report.Row{d.Name, d.Value, d.Meaning}
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
		known = "hot targets found in one half of the sample (they would get more if all were known)"
	}
	var shares []string
	for j := 0; j < len(s.Cover); j += 2 {
		shares = append(shares, fmt.Sprintf("%s get %s %%", report.Count(1<<j), report.Number(100*s.Cover[j])))
		if uint64(1)<<j >= s.Unique {
			break
		}
	}
	shares[0] = strings.Replace(shares[0], "get", "gets", 1)
	p.WriteByte('\n')
	p.Prose("%s: %s", known, strings.Join(shares, ", "))
	var rows []report.Row
	for i, m := range s.Misses {
		rows = append(rows, report.Row{collision.TableSlots(i), m.LanesPerWarp, m.DistinctPerWarp, m.HighestPerWarp,
			m.SectorsPerWarp4, m.SectorsPerWarp8, m.MaxFrequency})
	}
	under(p, ">slots|>updates|>different|>highest|>sectors, 4 B|>8 B|>of one target", rows,
		"What remains outside a table of this many hot targets. Per warp: updates, different targets, updates "+
			"of the most frequent target, and sectors of 4-byte and 8-byte targets. In the whole stream: updates "+
			"of the most frequent target.")
}

func under(p *report.Page, titles string, rows []report.Row, format string, args ...any) {
	p.WriteByte('\n')
	p.Prose(format, args...)
	p.WriteByte('\n')
	report.Cells(p, titles, rows)
}

func percent(share float64) string { return report.Short(100 * share) }

// printRows prints how rows are used again, and what caches and tables of the hot ones leave over.
func printRows(p *report.Page, doc *tuner.Stream) {
	s, occur := doc.Rows, "occur"
	if s.Unique == 1 {
		occur = "occurs"
	}
	p.WriteByte('\n')
	p.Prose("Each index is a row of %s. %s of %s %s.", report.Counted(doc.Width, "element"),
		report.Count(s.Unique), report.Counted(s.Rows, "row"), occur)
	var repeats, sizes, tables []report.Row
	for j := range s.Repeats {
		repeats = append(repeats, report.Row{uint64(1) << j, percent(s.Repeats[j]), percent(s.HotRepeats[j])})
	}
	under(p, ">before|>all (%)|>most frequent (%)", repeats,
		"Updates that repeat the row of the update this many positions before, in percent of all updates, and "+
			"of those of the most frequent row:")
	last := min(reuse.Sizes-1, bits.Len64(s.Unique-1))
	for j := 0; j <= last; j++ {
		busiest := ""
		switch {
		case j < reuse.Groups:
			busiest = report.Count(s.Busiest[j])
		case j%2 == 1 && j < last:
			continue // every second of the large sizes
		}
		rows := uint64(1) << j
		sizes = append(sizes, report.Row{rows, report.Bytes(4 * float64(rows*doc.Width)), percent(s.Cover[j]), busiest,
			percent(s.Misses[j]), percent(s.FarMisses[j])})
	}
	under(p, ">rows|>size|>cover (%)|>busiest|>misses (%)|>of a grid (%)", sizes,
		"For this many rows: bytes of float targets; percentage of updates on the most frequent ones; updates "+
			"of the busiest neighbours; and percentage of updates that miss in an LRU cache of this size, in "+
			"stream order and in the order of a grid with one stretch per warp:")
	for i, t := range s.Tables {
		tables = append(tables, report.Row{uint64(2) << i, t.Slots, percent(t.Cover), t.Busiest[0]})
	}
	under(p, ">slots|>rows|>cover (%)|>busiest outside", tables,
		"For a table of hot rows with this many slots, filled from a sample of %s indices: its rows; the "+
			"percentage of updates on them; and the most updates of one row outside it:", report.Count(reuse.Samples))
}
