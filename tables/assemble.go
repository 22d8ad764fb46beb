package tables

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner"
)

// assemble puts the lines into tables and numbers the streams that they stand on.
func assemble(o Options, subjects []subject, lines [][]*line) *Document {
	doc := &Document{Updates: o.updates(), Value: o.Operand, Width: o.Width, Columns: slices.Clone(columns)}
	for _, i := range rowPlaces {
		doc.Targets = append(doc.Targets, uint64(fineTargets[i]))
	}
	doc.number(lines)
	for i, s := range subjects {
		t := Table{Device: s.device.Name, Title: s.device.Title, Type: s.typ,
			BreakEvens: []BreakEven{}}
		var decisions []*tuner.Decision
		for range doc.Targets {
			t.Rows = append(t.Rows, make([]*Cell, len(doc.Columns)))
		}
		for c := range doc.Columns {
			l := lines[c][i]
			for row, place := range rowPlaces {
				if d := l.seen[place]; d != nil {
					t.Rows[row][c] = newCell(d, l.source.points[place].place)
					decisions = append(decisions, d)
				}
			}
			for _, b := range l.breaks {
				t.BreakEvens = append(t.BreakEvens, BreakEven{c, l.side(b, b+1), l.side(b+1, b)})
			}
			t.InWords = append(t.InWords, t.words(doc.Targets, c))
		}
		t.Warnings = common(decisions)
		doc.Tables = append(doc.Tables, t)
	}
	return doc
}

// number lists the streams in use by column, size of the warps and targets.
func (doc *Document) number(lines [][]*line) {
	used := map[*point]bool{}
	for _, l := range slices.Concat(lines...) {
		places := slices.Clone(rowPlaces)
		for _, b := range l.breaks {
			places = append(places, b, b+1)
		}
		for _, i := range places {
			if p := l.source.points[i]; p != nil {
				used[p] = true
			}
		}
	}
	for i, p := range slices.SortedFunc(maps.Keys(used), func(a, b *point) int {
		return cmp.Or(cmp.Compare(a.stream.Column, b.stream.Column),
			cmp.Compare(a.stream.WarpSize, b.stream.WarpSize),
			cmp.Compare(a.stream.Targets, b.stream.Targets))
	}) {
		p.place = i
		doc.Streams = append(doc.Streams, p.stream)
	}
}

func common(decisions []*tuner.Decision) []string {
	if len(decisions) == 0 {
		return []string{}
	}
	return slices.DeleteFunc(slices.Clone(decisions[0].Warnings), func(w tuner.Warning) bool {
		return slices.ContainsFunc(decisions,
			func(d *tuner.Decision) bool { return !slices.Contains(d.Warnings, w) })
	}).Texts()
}

func newCell(d *tuner.Decision, stream int) *Cell {
	c := &Cell{Stream: stream, Implementation: d.Choice.Implementation,
		PredictedUS: rounded(d.Choice.PredictedUS)}
	if s := d.Choice.SpeedupOverNaive; s != nil {
		c.SpeedupOverNaive = new(rounded(*s))
	}
	kind := c.Implementation.Kind()
	c.Second = behind(d, func(impl.Spec) bool { return true })
	c.Rival = behind(d, func(v impl.Spec) bool { return v.Kind() != kind })
	return c
}

// behind returns the first after the choice that is of the wanted sort.
func behind(d *tuner.Decision, wanted func(impl.Spec) bool) *Behind {
	for _, r := range d.Ranking[1:] {
		if wanted(r.Implementation) {
			margin := r.PredictedUS/d.Choice.PredictedUS - 1
			return &Behind{r.Implementation, math.Round(1e4*margin) / 1e4}
		}
	}
	return nil
}

func rounded(x float64) float64 {
	if short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64); err == nil {
		return short
	}
	return x
}
