package fit

import (
	"fmt"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/latency"
)

// Interval is the range that holds a value with 95 % confidence.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Constant is one fitted constant, in cycles.
type Constant struct {
	Name     string   `json:"name"` // a name of latency.Terms
	Cycles   float64  `json:"cycles"`
	Interval Interval `json:"interval"`
}

// Residuals are relative errors |predicted/measured - 1| over rows.
type Residuals struct {
	Rows   int     `json:"rows"`
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	P95    float64 `json:"p95"`
	Max    float64 `json:"max"`
}

// Unidentified is something that the measurements do not tell.
type Unidentified struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Result is a fit.
type Result struct {
	Params       latency.Params
	Constants    []Constant
	Fitted       Residuals // over the rows that the constants were fitted to
	HeldOut      Residuals // over the rows kept out
	Outliers     int       // fitted rows that were given no weight
	Unidentified []Unidentified
}

// MinRows is the least number of rows that are fitted.
const MinRows = 32

// halves are measured patterns: those to fit and those that judge.
type halves struct{ fitted, kept *warps }

func halvesOf(m *patterns.Measurements) halves {
	return halves{fitted: warpsOf(m.Half(false)), kept: warpsOf(m.Half(true))}
}

// fit finds the parameters of an operation on shared memory to a column of single-warp
// measurements. One half of the rows is fitted, the other kept out for HeldOut:
// patterns.Measurements.Half. The structure (mechanism, banks, locks) is searched among powers of
// two; for each, the constants come from a linear regression of the relative error on the terms of
// package latency, with Tukey's biweight against outliers; the structure with the least loss wins,
// and others that do as well are listed as unidentified. Constants that the data do not support are
// 0. wide says that words have 8 bytes. Errors wrap ErrData.
func (h halves) fit(column string, wide bool) (Result, error) {
	fitted, err := rowsOf(h.fitted, column)
	if err != nil {
		return Result{}, err
	}
	kept, err := rowsOf(h.kept, column)
	if err != nil {
		return Result{}, err
	}
	if n := len(fitted.cycles); n < MinRows {
		return Result{}, fmt.Errorf("%w: %d of %d rows to fit, at least %d", ErrData, n,
			n+len(kept.cycles), MinRows)
	}
	found, err := search(fitted, wide)
	if err != nil {
		return Result{}, err
	}
	r := Result{Params: found.params(), Unidentified: found.doubts}
	if err := r.Params.Validate(); err != nil {
		return Result{}, fmt.Errorf("%w: %v", ErrData, err)
	}
	r.Constants = found.intervals()
	for _, w := range found.Weights {
		if w == 0 {
			r.Outliers++
		}
	}
	if r.Fitted, err = fitted.residuals(r.Params); err != nil {
		return Result{}, err
	}
	r.HeldOut, err = kept.residuals(r.Params)
	return r, err
}

func (r rows) residuals(p latency.Params) (Residuals, error) {
	model, err := latency.NewModel(p)
	if err != nil {
		return Residuals{}, err
	}
	errs := make([]float64, len(r.cycles))
	for i, pattern := range r.patterns {
		predicted, err := model.Cycles(pattern)
		if err != nil {
			return Residuals{}, err
		}
		errs[i] = predicted/r.cycles[i] - 1
	}
	return Summarise(errs), nil
}
