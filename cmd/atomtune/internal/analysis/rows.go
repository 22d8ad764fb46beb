package analysis

import (
	"math/bits"

	"github.com/atomtune/atomtune/collision/reuse"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
)

// printRows prints how rows are used again.
func printRows(p *report.Page, doc *input.StreamDocument) {
	p.WriteByte('\n')
	p.Prose("Each index is a row of %s. %s of %s %s.", report.Counted(doc.Width, "element"),
		report.Count(doc.Rows.Unique), report.Counted(doc.Rows.Rows, "row"), occur(doc.Rows.Unique))
	printRepeats(p, doc.Rows)
	printSizes(p, doc)
	printTables(p, doc.Rows)
}

func occur(n uint64) string {
	if n == 1 {
		return "occurs"
	}
	return "occur"
}

// percent is a share to print.
func percent(share float64) string { return report.Short(100 * share) }

func printRepeats(p *report.Page, s *reuse.Stats) {
	p.WriteByte('\n')
	p.Prose("Updates whose row is that of the update so many before, in percent of all, and in percent of " +
		"those of the most frequent row:")
	p.WriteByte('\n')
	var list []report.Row
	for j := range s.Repeats {
		list = append(list, report.Row{uint64(1) << j, percent(s.Repeats[j]), percent(s.HotRepeats[j])})
	}
	report.Cells(p, ">before|>all (%)|>most frequent (%)", list)
}

// printSizes prints what so many rows get, and what caches of them miss, up to all rows that occur.
func printSizes(p *report.Page, doc *input.StreamDocument) {
	s := doc.Rows
	p.WriteByte('\n')
	p.Prose("Of so many rows: bytes of float targets; updates of the most frequent ones in percent; updates of " +
		"the busiest neighbours; and updates that miss in a cache of the rows used last, in the order of the " +
		"stream and in that of a grid whose warps have a stretch each, in percent:")
	p.WriteByte('\n')
	var list []report.Row
	last := min(reuse.Sizes-1, bits.Len64(s.Unique-1))
	for j := 0; j <= last; j++ {
		if j >= reuse.Groups && j%2 == 1 && j < last {
			continue // every second of the large sizes
		}
		busiest := ""
		if j < reuse.Groups {
			busiest = report.Count(s.Busiest[j])
		}
		rows := uint64(1) << j
		list = append(list, report.Row{rows, report.Bytes(4 * float64(rows*doc.Width)), percent(s.Cover[j]), busiest,
			percent(s.Misses[j]), percent(s.FarMisses[j])})
	}
	report.Cells(p, ">rows|>size|>cover (%)|>busiest|>misses (%)|>of a grid (%)", list)
}

// printTables prints what tables of hot rows leave over.
func printTables(p *report.Page, s *reuse.Stats) {
	p.WriteByte('\n')
	p.Prose("Of a table of hot rows with so many slots, which a sample of %s indices fills: rows in it; "+
		"updates of these in percent; and the most updates of one row beside it:", report.Count(reuse.Samples))
	p.WriteByte('\n')
	var list []report.Row
	for i, t := range s.Tables {
		list = append(list, report.Row{uint64(2) << i, t.Slots, percent(t.Cover), t.Busiest[0]})
	}
	report.Cells(p, ">slots|>rows|>cover (%)|>busiest beside it", list)
}
