package validate

import (
	_ "embed"
	"maps"
	"strings"
)

// tunerGapsFile lists the figures of the tuner that do not keep their limit,
// with what they keep instead and why. ATOMTUNE_UPDATE_GOLDEN=1 with the tests
// writes it anew and keeps the reasons.
const tunerGapsFile = "tuner_gaps.csv"

//go:embed tuner_gaps.csv
var tunerGapsText []byte

func tunerGaps() (map[string]Gap, error) { return DecodeGaps(tunerGapsFile, tunerGapsText) }

// encodeTunerGaps lists the checks that do not keep their limit, with values
// rounded at the second decimal of a factor and at the first of a percentage.
func encodeTunerGaps(checks []Check, known map[string]Gap) ([]byte, error) {
	return EncodeGaps(checks, known, anyCheck, func(c Check) float64 {
		if c.Unit == UnitTimes {
			return 100
		}
		return 10
	})
}

func anyCheck(Check) bool { return true }

// judged marks the known gaps among the checks and lists what has failed. Gaps
// of sweeps are passed over where none was judged.
func judged(checks []Check, gaps map[string]Gap, sweeps bool) []string {
	if !sweeps {
		gaps = maps.Clone(gaps)
		maps.DeleteFunc(gaps, func(item string, _ Gap) bool { return strings.HasPrefix(item, SweepItem) })
	}
	return Judge(checks, gaps, anyCheck, func(Check) {})
}
