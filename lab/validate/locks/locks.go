// Package locks holds the closed forms against the simulator on the devices whose shared
// memory has lock bits, the GeForce GTX 680 and the Tesla C2075, and says what the correction
// trees learn of the difference. No call was recorded on these devices: what the two disagree
// on, the papers and their mechanisms decide, and not one of the two.
//
// The streams are those of the sweeps that the models are trained on. A closed form has learned
// from none of them. Trees are judged on each family of streams by trees that were grown, pruned
// and shrunk without it, as training.Fit judges them.
//
// After new points, models or closed forms, "script/regenerate locks" makes the corrections of families
// held out anew where they are not those of the embedded models, then the known gaps, whose reasons it
// keeps. It fails as long as a new gap has no reason in gaps.csv.
package locks

import (
	_ "embed"
	"slices"
	"sync"

	"github.com/atomtune/atomtune/lab/validate"
)

// Devices are those with lock bits that models are trained for.
var Devices = []string{"gtx680", "c2075"}

// A Report is what the simulator says of closed forms and trees.
type Report struct {
	Rows    []Row     `json:"rows"`
	Groups  []Group   `json:"groups"`
	Choices []Choices `json:"choices"`
	Widest  []Widest  `json:"widest"`
	// Checks holds each error of the rows, the choices, the simulated times and the corrections to
	// its limit.
	Checks []validate.Check `json:"checks"`
	Failed []string         `json:"failed"`
}

// The limits of a row's errors, in percent, and of a device's choices, times the best. The
// largest loss of choices with trees is limited by that of the closed forms alone.
const (
	medianError = 15
	p90Error    = 50
	meanLoss    = 1.03
	p90Loss     = 1.1
)

// gapsFile lists the errors that do not keep their limit, with what they keep instead and why.
// ATOMTUNE_UPDATE_GOLDEN=1 with the tests writes it anew and keeps the reasons.
const gapsFile = "gaps.csv"

//go:embed gaps.csv
var gapsText []byte

// Locks compares closed forms and trees with the simulated points of both devices. Callers leave
// the report as it is. Errors wrap ErrValidate.
func Locks() (Report, error) { return report() }

// report is made once.
var report = sync.OnceValues(func() (r Report, err error) {
	defer validate.Wrap(&err)
	gaps, err := validate.DecodeGaps(gapsFile, gapsText)
	if err != nil {
		return r, err
	}
	if r, err = compared(correctionsText); err == nil {
		r.judge(gaps)
	}
	return r, err
})

// compared is a report without known gaps.
func compared(corrections []byte) (r Report, err error) {
	all, err := decodeCorrections(correctionsFile, corrections)
	if err != nil {
		return r, err
	}
	sweeps, err := readSweeps()
	if err != nil {
		return r, err
	}
	for _, s := range sweeps {
		by, err := s.aligned(all[s.device])
		if err != nil {
			return r, err
		}
		own := s.report(by)
		r.Rows, r.Groups = append(r.Rows, own.Rows...), append(r.Groups, own.Groups...)
		r.Choices, r.Widest = append(r.Choices, own.Choices...), append(r.Widest, own.Widest...)
		for _, row := range own.Rows {
			r.Checks = append(r.Checks, row.checks()...)
		}
		r.Checks = slices.Concat(r.Checks, choiceChecks(own.Choices), s.checks(by))
	}
	return r, nil
}

// rowChecks is how many checks a row has, half of them of the closed form.
const rowChecks = 4

// checks holds a row's errors to their limits.
func (r Row) checks() []validate.Check {
	check := func(figure string, percent, limit float64) validate.Check {
		return validate.AtMost(r.Device+": "+r.Implementation.String()+", "+r.Type.String()+": "+
			figure, percent, limit, validate.UnitPercent, r.Calls)
	}
	return []validate.Check{
		check("closed form, median error", r.ClosedForm.MedianPercent, medianError),
		check("closed form, 90th percentile", r.ClosedForm.P90Percent, p90Error),
		check("with trees, median error", r.Corrected.MedianPercent, medianError),
		check("with trees, 90th percentile", r.Corrected.P90Percent, p90Error),
	}
}

// judge marks known gaps, lists what has failed, and gives each row its statuses.
func (r *Report) judge(gaps map[string]validate.Gap) {
	r.Failed = validate.Judge(r.Checks, gaps)
	state := map[string]string{}
	for _, c := range r.Checks {
		state[c.Item] = c.State()
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		own := row.checks()
		row.ClosedForm.Status = worst(state[own[0].Item], state[own[1].Item])
		row.Corrected.Status = worst(state[own[2].Item], state[own[3].Item])
	}
}

// worst is the worse of two states.
func worst(a, b string) string {
	for _, status := range []string{validate.Failed, validate.KnownGap} {
		if a == status || b == status {
			return status
		}
	}
	return validate.Enforced
}
