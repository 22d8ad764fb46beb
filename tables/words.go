package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/internal/visible"
)

// words says which kind wins along a column and from where on the next does, for example
//
//	private copies win up to 18,658 targets, sr from 19,484 (1.2 % behind just
//	before, 0.4 % ahead just after)
func (t *Table) words(targets []uint64, column int) string {
	first := slices.IndexFunc(t.Rows, func(row []*Cell) bool { return row[column] != nil })
	if first < 0 {
		return "nothing can run"
	}
	start := ""
	if first > 0 {
		start = " from " + visible.Count(targets[first])
	}
	breaks := slices.DeleteFunc(slices.Clone(t.BreakEvens),
		func(b BreakEven) bool { return b.Column != column })
	if len(breaks) == 0 {
		only := t.Rows[first][column].Implementation
		if start != "" {
			start = " from " + visible.Counted(targets[first], "target") + " on"
		}
		return only.Wins() + " everywhere" + start
	}
	clauses := []string{fmt.Sprintf("%s%s up to %s", breaks[0].Last.Implementation.Wins(), start,
		visible.Counted(breaks[0].Last.Targets, "target"))}
	for _, b := range breaks {
		clauses = append(clauses, fmt.Sprintf("%s from %s (%s)", b.First.Implementation.Title(),
			visible.Count(b.First.Targets), b.narrowness()))
	}
	return strings.Join(clauses, ", ")
}

// nearTie is the margin below which two kinds are as good as each other.
const nearTie = 0.01

// narrowness says how far the kinds on both sides of a break-even point are apart there.
func (b BreakEven) narrowness() string {
	before, after := b.Last.Margin, b.First.Margin
	switch {
	case after == nil && before == nil:
		return "neither can run on the other side"
	case after == nil:
		return fmt.Sprintf("%s behind just before, where the former can still run", percent(*before))
	case before == nil:
		return fmt.Sprintf("%s ahead just after, unable to run before", percent(*after))
	case *before < nearTie && *after < nearTie:
		return "a near tie"
	}
	return fmt.Sprintf("%s behind just before, %s ahead just after", percent(*before), percent(*after))
}

func percent(margin float64) string {
	p := 100 * margin
	if p < 9.95 {
		return strconv.FormatFloat(p, 'f', 1, 64) + " %"
	}
	return visible.Count(uint64(p+0.5)) + " %"
}

// signed prints a margin with its sign: below 0 where a tie is not overruled.
func signed(margin float64) string {
	if margin < 0 {
		return percent(margin)
	}
	return "+" + percent(margin)
}

// short prints a positive number with three significant digits, or whole from a hundred on.
func short(x float64) string {
	if x >= 100 {
		return visible.Count(uint64(x + 0.5))
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}
