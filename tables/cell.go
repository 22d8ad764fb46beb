package tables

import (
	"math"
	"slices"
	"strconv"

	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/variant"
)

// newCell takes from a decision what a table shows of it.
func newCell(d *tuner.Decision) *Cell {
	c := &Cell{Implementation: d.Choice.Implementation, PredictedUS: rounded(d.Choice.PredictedUS)}
	if s := d.Choice.SpeedupOverNaive; s != nil {
		speedup := rounded(*s)
		c.SpeedupOverNaive = &speedup
	}
	kind := Kind(c.Implementation)
	c.Second = behind(d, func(variant.Variant) bool { return true })
	c.Rival = behind(d, func(v variant.Variant) bool { return Kind(v) != kind })
	return c
}

// behind returns the first after the choice that is of the wanted sort.
func behind(d *tuner.Decision, wanted func(variant.Variant) bool) *Behind {
	for _, r := range d.Ranking[1:] {
		if wanted(r.Implementation) {
			return &Behind{r.Implementation, margin(r.PredictedUS, d.Choice.PredictedUS)}
		}
	}
	return nil
}

// marginOf returns how far the best of a kind lies behind the choice, nil where
// none of it can run.
func marginOf(d *tuner.Decision, kind variant.Variant) *float64 {
	ofKind := func(r tuner.Ranked) bool { return Kind(r.Implementation) == kind }
	i := slices.IndexFunc(d.Ranking, ofKind)
	if i < 0 {
		return nil
	}
	m := margin(d.Ranking[i].PredictedUS, d.Choice.PredictedUS)
	return &m
}

// margin returns us over that of the choice, less 1, to four decimals.
func margin(us, choice float64) float64 { return math.Round(1e4*(us/choice-1)) / 1e4 }

// rounded returns x with four significant digits.
func rounded(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	if err != nil { // no formatted float64 fails to parse
		return x
	}
	return short
}
