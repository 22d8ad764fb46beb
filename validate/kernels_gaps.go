package validate

import (
	_ "embed"
)

// kernelGapsFile lists the figures that do not keep their limit, with what they
// keep instead and why, as far as that is known. ATOMTUNE_UPDATE_GOLDEN=1 with
// the tests writes it anew and keeps the reasons.
const kernelGapsFile = "kernels_gaps.csv"

//go:embed kernels_gaps.csv
var kernelGapsText []byte

func kernelGaps() (map[string]Gap, error) { return DecodeGaps(kernelGapsFile, kernelGapsText) }

func worse(a, b string) string {
	for _, s := range []string{Failed, KnownGap} {
		if a == s || b == s {
			return s
		}
	}
	return Enforced
}

// mayGap reports whether the check is about how good a prediction is, and not
// about conservation or a table that is out of date.
func mayGap(c Check) bool { return c.Unit == "%" || c.Unit == unitTau }

// encodeKernelGaps lists the checks that do not keep their limit, with values
// rounded at the third decimal of a tau, else at the first.
func encodeKernelGaps(checks []Check, known map[string]Gap) ([]byte, error) {
	return EncodeGaps(checks, known, mayGap, func(c Check) float64 {
		if c.Unit == unitTau {
			return 1000
		}
		return 10
	})
}

// judge marks known gaps, lists what has failed, and gives each row its
// statuses.
func (r *KernelReport) judge(gaps map[string]Gap) {
	status := map[string]string{}
	r.Failed = Judge(r.Checks, gaps, mayGap, func(c Check) { status[c.Item] = Failed })
	for _, c := range r.Checks {
		if status[c.Item] == "" {
			status[c.Item] = c.Status
		}
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		row.Simulated.Status, row.ClosedForm.Status = Enforced, Enforced
		for k, c := range row.checks() {
			to := &row.Simulated.Status
			if k == len(row.checks())-1 {
				to = &row.ClosedForm.Status
			}
			*to = worse(*to, status[c.Item])
		}
	}
}
