package choices

import (
	"github.com/atomtune/atomtune/lab/validate"
)

// TimeError says how predicted times lie to measured ones; the error of a time
// is |predicted/measured - 1|.
type TimeError struct {
	Times         int     `json:"times"`
	MedianPercent float64 `json:"median_error_percent"`
	P90Percent    float64 `json:"p90_error_percent"`
	// CoveredPercent is the share of the measured times that lie in the stated
	// 90 % interval.
	CoveredPercent float64 `json:"covered_percent"`
}

func timeError(list []forecast) TimeError {
	e := TimeError{Times: len(list)}
	errs := make([]float64, len(list))
	covered := 0
	for i, f := range list {
		errs[i] = f.off()
		if f.covered() {
			covered++
		}
	}
	e.MedianPercent, e.P90Percent = validate.Quantile(errs, 0.5), validate.Quantile(errs, 0.9)
	e.CoveredPercent = 100 * float64(covered) / float64(len(list))
	return e
}
