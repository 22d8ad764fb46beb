package choice

import (
	"fmt"
	"strconv"

	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

// lastSteps is how many comparisons a page shows, those next to the leaf.
const lastSteps = 3

// Decided says in words how the tree of a device, by its title, decided: its size, the comparisons next to the
// leaf, and what the closed forms would take instead.
func Decided(t *tuner.Deciding, title string) string {
	text := fmt.Sprintf("by the tree of the %s (%s, trained on %s)", title, report.Counted(t.Leaves, "leaf"),
		report.Counted(t.SimulatedPoints, "simulated stream"))
	last := t.Path[max(0, len(t.Path)-lastSteps):]
	for i, c := range last {
		switch {
		case i > 0:
			text += "; "
		case len(last) < len(t.Path):
			text += fmt.Sprintf(", the last of %d comparisons: ", len(t.Path))
		default:
			text += ": "
		}
		text += Compared(c)
	}
	if t.Overruled != nil {
		text += fmt.Sprintf(". The closed forms alone would take %s", t.Overruled)
	}
	return text
}

// Compared says in words what a comparison found: "27.2 different targets in a warp (below 30)".
func Compared(c model.Comparison) string {
	words, one := model.Words(c.Feature)
	if one != "" {
		return Side(c.Feature, c.Threshold, c.Below)
	}
	value, threshold := apart(c)
	return fmt.Sprintf("%s %s (%s %s)", plain(value), words, sides[c.Below], plain(threshold))
}

// Side says in words what lies below a threshold of a feature, or not: "at least 30 different targets in a warp".
func Side(feature string, threshold float64, below bool) string {
	words, one := model.Words(feature)
	switch {
	case one == "":
		return fmt.Sprintf("%s %s %s", sides[below], plain(rounded(threshold, fewDigits)), words)
	case below:
		return words
	}
	return one
}

var sides = map[bool]string{true: "below", false: "at least"}

// apart rounds value and threshold to as few digits as leave them in their order. Whole values stay.
func apart(c model.Comparison) (value, threshold float64) {
	const exact = 17
	for digits := fewDigits; digits < exact; digits++ {
		value, threshold = c.Value, rounded(c.Threshold, digits)
		if value != float64(int64(value)) {
			value = rounded(value, digits)
		}
		if (value < threshold) == c.Below {
			return value, threshold
		}
	}
	return c.Value, c.Threshold
}

const fewDigits = 3

func rounded(x float64, digits int) float64 {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64) // of its own text
	return x
}

func plain(x float64) string {
	if whole := uint64(max(x, 0)); float64(whole) == x {
		return report.Count(whole)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
