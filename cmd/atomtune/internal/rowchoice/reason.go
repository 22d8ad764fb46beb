package rowchoice

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/rows"
	"github.com/atomtune/atomtune/rows/price"
	"github.com/atomtune/atomtune/tuner"
)

// reason says why a form is first. It explains each bound once.
type reason struct {
	doc   *Document
	best  price.Price
	named []price.Bound
}

// text says what binds the choice and what it does about updates that meet, what is tied with it, by
// what the best of another form falls behind, and what plain atomics take.
func (r *reason) text() string {
	best, prices, naive := r.best, r.doc.prices, rows.Implementation{}
	text := fmt.Sprintf("%s takes %s us, %s: %s.", best.Implementation(), report.Short(best.US), r.boundBy(best.Bound),
		best.Form.Does())
	if ties := r.doc.Ties; len(ties) > 0 {
		text += " It is a tie with " + tuner.Some(ties) + "."
	}
	said := best.Form == rows.Naive
	if next := slices.IndexFunc(prices, func(p price.Price) bool { return p.Form != best.Form }); next >= 0 {
		said = said || prices[next].Form == rows.Naive
		text += r.behind("The runner-up of another form, "+prices[next].Implementation().String()+",", prices[next])
	}
	switch {
	case said:
	case slices.ContainsFunc(prices, func(p price.Price) bool { return p.Form == rows.Naive }):
		text += r.behind(naive.String(), r.doc.of(rows.Naive))
	default:
		text += fmt.Sprintf(" %s would take %s us but is not admitted.", naive, report.Short(r.doc.of(rows.Naive).US))
	}
	return text
}

// behind says by which part of its time another form falls behind the choice most.
func (r *reason) behind(who string, other price.Price) string {
	long := report.Short(other.US/r.best.US) + " times as long"
	switch {
	case other.US < r.best.US: // by their intervals, for a cautious choice
		long = fmt.Sprintf("but up to %s us, and %s up to %s us", report.Short(other.HighUS), r.best.Implementation(),
			report.Short(r.best.HighUS))
	case long == "1 times as long":
		long = "as long"
	}
	text := fmt.Sprintf(" %s takes %s us, %s, %s", who, report.Short(other.US), long, r.boundBy(other.Bound))
	bound, more := price.Bound(""), 0.0
	for _, part := range other.Parts {
		if by := part.US - r.best.Part(part.Bound); by > more {
			bound, more = part.Bound, by
		}
	}
	switch {
	case bound == "":
		return text + "."
	case bound == other.Bound:
		return text + fmt.Sprintf(", which takes %s us more than in %s.", report.Short(more), r.best.Implementation())
	}
	return text + fmt.Sprintf("; it falls behind by %s, %s us more.", r.explained(bound), report.Short(more))
}

func (r *reason) boundBy(b price.Bound) string { return "bound by " + r.explained(b) }

// explained names a bound and, the first time, says what it is, with the statistic behind it.
func (r *reason) explained(b price.Bound) string {
	if slices.Contains(r.named, b) {
		return string(b)
	}
	r.named = append(r.named, b)
	text, s := price.Meaning(b), r.doc.Stream.Rows
	switch b {
	case price.Row:
		text += fmt.Sprintf("; the most frequent row gets %s of %s", report.Count(s.MaxFrequency),
			report.Counted(s.Updates, "update"))
	case price.Misses:
		bytes := float64(s.Unique*r.doc.Width) * float64(r.doc.call.Kind.TargetBytes())
		text += fmt.Sprintf("; the rows that occur take %s", report.Bytes(bytes))
	}
	return fmt.Sprintf("%s (%s)", b, text)
}
