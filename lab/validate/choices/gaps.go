package choices

import (
	_ "embed"
	"maps"
	"strings"

	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/leaveoneout"
)

// tunerGapsFile lists the figures of the tuner that do not keep their limit,
// with what they keep instead and why. ATOMTUNE_UPDATE_GOLDEN=1 with the tests
// writes it anew and keeps the reasons.
const tunerGapsFile = "gaps.csv"

//go:embed gaps.csv
var tunerGapsText []byte

func tunerGaps() (map[string]validate.Gap, error) {
	return validate.DecodeGaps(tunerGapsFile, tunerGapsText)
}

func anyCheck(validate.Check) bool { return true }

// judged marks the known gaps among the checks and lists what has failed. Gaps
// of sweeps are passed over where none was judged.
func judged(checks []validate.Check, gaps map[string]validate.Gap, sweeps bool) []string {
	if !sweeps {
		gaps = maps.Clone(gaps)
		maps.DeleteFunc(gaps, func(item string, _ validate.Gap) bool { return strings.HasPrefix(item, leaveoneout.SweepItem) })
	}
	return validate.Judge(checks, gaps, anyCheck, func(validate.Check) {})
}
