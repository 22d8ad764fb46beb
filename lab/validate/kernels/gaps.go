package kernels

import (
	_ "embed"

	"github.com/atomtune/atomtune/lab/validate"
)

// kernelGapsFile lists the figures that do not keep their limit, with what they
// keep instead and why, as far as that is known. ATOMTUNE_UPDATE_GOLDEN=1 with
// the tests writes it anew and keeps the reasons.
const kernelGapsFile = "gaps.csv"

//go:embed gaps.csv
var kernelGapsText []byte

func kernelGaps() (map[string]validate.Gap, error) {
	return validate.DecodeGaps(kernelGapsFile, kernelGapsText)
}

func worse(a, b string) string {
	for _, s := range []string{Failed, validate.KnownGap} {
		if a == s || b == s {
			return s
		}
	}
	return validate.Enforced
}

// mayGap reports whether the check is about how good a prediction is, and not
// about conservation or a table that is out of date.
func mayGap(c validate.Check) bool { return c.Unit == "%" || c.Unit == unitTau }

// judge marks known gaps, lists what has failed, and gives each row its
// statuses.
func (r *KernelReport) judge(gaps map[string]validate.Gap) {
	status := map[string]string{}
	r.Failed = validate.Judge(r.Checks, gaps, mayGap, func(c validate.Check) { status[c.Item] = Failed })
	for _, c := range r.Checks {
		if status[c.Item] == "" {
			status[c.Item] = c.Status
		}
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		row.Simulated.Status, row.ClosedForm.Status = validate.Enforced, validate.Enforced
		for k, c := range row.checks() {
			to := &row.Simulated.Status
			if k == len(row.checks())-1 {
				to = &row.ClosedForm.Status
			}
			*to = worse(*to, status[c.Item])
		}
	}
}
