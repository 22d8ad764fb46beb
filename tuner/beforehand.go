package tuner

import (
	"fmt"
	"slices"
)

// Beforehand says what the choice needs before the call of which its time holds nothing, and which is
// the first of the ranking that needs nothing; "" where the choice needs nothing.
func (d *Decision) Beforehand() string {
	first := d.Ranking[0].Implementation
	if !first.NeedsTargets() || d.Ranking[0].Parts != nil { // of rows a call finds them
		return ""
	}
	text := fmt.Sprintf("%s needs the most frequent targets before the call, and its time does not hold "+
		"finding them", first)
	at := slices.IndexFunc(d.Ranking, func(r Ranked) bool { return !r.Implementation.NeedsTargets() })
	if at < 0 {
		return text + ": implementations with sample=M find them in the call"
	}
	other := d.Ranking[at]
	return fmt.Sprintf("%s: where they are not known, the fastest is %s, %s us", text,
		other.Implementation, number(other.PredictedUS))
}
