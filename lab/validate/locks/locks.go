// Package locks holds the closed forms against the simulator on the devices whose shared
// memory has lock bits, the GeForce GTX 680 and the Tesla C2075. No call was recorded on these devices:
// what the two disagree on, the papers and their mechanisms decide, and not one of the two.
//
// The streams are of the sweeps that the models are trained on, the first of each. A closed form has
// learned from none of them. "script/regenerate points" keeps them here.
//
// After new points or closed forms, "script/regenerate locks" makes the known gaps anew and keeps their
// reasons. It fails as long as a new gap has no reason in gaps.csv.
package locks

import (
	_ "embed"
	"sync"

	"github.com/atomtune/atomtune/lab/validate"
)

// Devices are those with lock bits that models are trained for.
var Devices = []string{"gtx680", "c2075"}

// A Report is what the simulator says of closed forms.
type Report struct {
	Rows   []Row    `json:"rows"`
	Groups []Group  `json:"groups"`
	Widest []Widest `json:"widest"`
	// Checks holds each error of the rows, and the simulated times, to its limit.
	Checks []validate.Check `json:"checks"`
	Failed []string         `json:"failed"`
}

// The limits of a row's errors, in percent.
const medianError, p90Error = 15, 50

// gapsFile lists the errors that do not keep their limit, with what they keep instead and why.
// ATOMTUNE_UPDATE_GOLDEN=1 with the tests writes it anew and keeps the reasons.
const gapsFile = "gaps.csv"

//go:embed gaps.csv
var gapsText []byte

// Locks compares closed forms with the simulated points of both devices. Callers leave
// the report as it is. Errors wrap ErrValidate.
func Locks() (Report, error) { return report() }

// report is made once.
var report = sync.OnceValues(func() (r Report, err error) {
	defer validate.Wrap(&err)
	gaps, err := validate.DecodeGaps(gapsFile, gapsText)
	if err != nil {
		return r, err
	}
	if r, err = compared(); err == nil {
		r.judge(gaps)
	}
	return r, err
})

// compared is a report without known gaps.
func compared() (r Report, err error) {
	sweeps, err := readSweeps()
	if err != nil {
		return r, err
	}
	for _, s := range sweeps {
		own := s.report()
		r.Rows, r.Groups = append(r.Rows, own.Rows...), append(r.Groups, own.Groups...)
		r.Widest = append(r.Widest, own.Widest...)
		for _, row := range own.Rows {
			r.Checks = append(r.Checks, row.checks()...)
		}
		r.Checks = append(r.Checks, s.check())
	}
	return r, nil
}

// rowChecks is how many checks a row has.
const rowChecks = 2

// checks holds a row's errors to their limits.
func (r Row) checks() []validate.Check {
	check := func(figure string, percent, limit float64) validate.Check {
		return validate.AtMost(r.Device+": "+r.Implementation.String()+", "+r.Type.String()+": "+
			figure, percent, limit, validate.UnitPercent, r.Calls)
	}
	return []validate.Check{
		check("closed form, median error", r.ClosedForm.MedianPercent, medianError),
		check("closed form, 90th percentile", r.ClosedForm.P90Percent, p90Error),
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
