package rowchoice

import (
	"fmt"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/analysis"
	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/rows"
)

// Print writes the document for people, as choice.Print does.
func Print(p *report.Page, doc Document) {
	p.Field("stream", "%s", analysis.Sizes(doc.Stream))
	p.Field("counts", "%s", doc.counts())
	p.Field("device", "%s, %s%s", doc.profile.Title, doc.call.Words(), choice.NewConstraints(doc.options.Options))
	choice.PrintLeftOut(p, doc.LeftOut)
	printChoice(p, &doc)
	p.Sentences("reason", doc.Reason)
	p.WriteByte('\n')
	printRanking(p, &doc)
	choice.PrintBounds(p, doc.named(), doc.Legend)
	p.Warnings(doc.Warnings)
	printCode(p, &doc)
}

// counts says what of the stream's statistics the prices hang on most.
func (d *Document) counts() string {
	s := d.Stream.Rows
	each := "each touched row once"
	if s.MaxFrequency != 1 {
		each = fmt.Sprintf("%s updates per touched row, %s of the most frequent",
			report.Short(float64(s.Updates)/float64(s.Unique)), report.Count(s.MaxFrequency))
	}
	fit := d.profile.Memory.L2AtomicBytes.Value / float64(d.call.Width) / float64(d.call.Kind.TargetBytes())
	return fmt.Sprintf("%s; %s %% of the updates repeat the row before, %s %% miss in a cache of %s rows, which "+
		"L2 holds", each, report.Short(100*s.Repeats[0]), report.Short(100*s.Misses.At(fit)), report.Count(uint64(fit)))
}

func printChoice(p *report.Page, doc *Document) {
	c, against := doc.Choice, ""
	if doc.Best().Form != rows.Naive {
		against = choice.OverNaive(&c.SpeedupOverNaive)
	}
	choice.PrintChosen(p, c.Implementation.String(), c.Class, c.PredictedUS,
		fmt.Sprintf(", 90 %% interval %s to %s us%s", report.Number(c.LowUS), report.Number(c.HighUS), against))
	p.Field("floor", "%s us, %s bytes read and written once; the choice reaches %s %% of it, bound by %s",
		report.Number(doc.Floor.US), report.Count(uint64(doc.Floor.Bytes)), report.Short(100*doc.Floor.Share),
		doc.Ranking[0].Binding)
	doc.Simulated.Print(p)
}

func printRanking(p *report.Page, doc *Document) {
	rank := 0
	report.Table(p, ">rank|form|???class|>time (us)|?>over best|bound by|??launch", doc.Ranking,
		func(r Ranked) report.Row {
			name := r.Implementation.String()
			if rank++; rank == 1 {
				name = p.Strong(name)
			}
			return report.Row{rank, name, r.Class, r.PredictedUS, r.PredictedUS / doc.Choice.PredictedUS, r.Binding,
				r.Launch}
		})
}

// printCode writes the lines to paste.
func printCode(p *report.Page, doc *Document) {
	if len(doc.Code) == 0 {
		return
	}
	p.WriteByte('\n')
	p.Prose("to paste, for A[index[u] * %d + j] += values[u * %[1]d + j], 0 <= j < %[1]d%[2]s:", doc.Width,
		choice.FromZero(doc.Clear))
	choice.PrintLines(p, doc.Code)
}
