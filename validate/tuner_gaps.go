package validate

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// tunerGapsFile lists the figures of the tuner that do not keep their limit,
// with what they keep instead and why. ATOMTUNE_UPDATE_GOLDEN=1 with the tests
// writes it anew and keeps the reasons.
const tunerGapsFile = "tuner_gaps.csv"

// sweepItem begins the items of checks that need the journals of sweeps.
const sweepItem = "sweep of "

//go:embed tuner_gaps.csv
var tunerGapsText []byte

func tunerGaps() (map[string]gap, error) { return decodeGaps(tunerGapsFile, tunerGapsText) }

// judged marks the known gaps among the checks and lists what has failed: a
// limit that is not kept, a gap that has widened or closed, and a gap of
// nothing that is checked. Gaps of sweeps are passed over where none was judged.
func judged(checks []Check, gaps map[string]gap, sweeps bool) []string {
	failed := []string{}
	checked := map[string]bool{}
	for i := range checks {
		c := &checks[i]
		checked[c.Item] = true
		g, known := gaps[c.Item]
		if known {
			c.Status = KnownGap
			c.Reason = fmt.Sprintf("%v %s holds; %s", g.holds, c.Unit, g.reason)
		}
		failure := c.Failure()
		if failure == "" && known && !g.keeps(*c) {
			failure = fmt.Sprintf("%s: the known gap has widened: %.4g %s, was %v", c.Item, c.Value, c.Unit, g.holds)
		}
		if failure != "" {
			failed = append(failed, failure)
		}
	}
	for _, item := range slices.Sorted(maps.Keys(gaps)) {
		if !checked[item] && (sweeps || !strings.HasPrefix(item, sweepItem)) {
			failed = append(failed, item+": a known gap of nothing that is checked")
		}
	}
	return failed
}

// encodeTunerGaps lists the checks that do not keep their limit, each with what
// holds instead: the value, rounded to the worse side at the second decimal of
// a factor and at the first of a percentage. Reasons are those of the known
// gaps.
func encodeTunerGaps(checks []Check, known map[string]gap) ([]byte, error) {
	rows := [][]string{gapColumns}
	exact := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, c := range checks {
		if c.Holds() {
			continue
		}
		reason := unexplained
		if k, ok := known[c.Item]; ok {
			reason = k.reason
		}
		steps := 10.0
		if c.Unit == unitTimes {
			steps = 100
		}
		holds := math.Ceil(c.Value*steps) / steps
		if c.Least {
			holds = math.Floor(c.Value*steps) / steps
		}
		rows = append(rows, []string{c.Item, exact(c.Limit), exact(holds), c.Unit, reason})
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}
