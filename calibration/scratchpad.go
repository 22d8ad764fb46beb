package calibration

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
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

// Unidentified is something that the measurements could not determine.
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
	if _, err := fitted.design(structures(fitted, wide)[0]); err != nil {
		return Result{}, fmt.Errorf("%w: %v", ErrData, err)
	}
	found := search(fitted, wide)
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

// Install returns a copy of the profile in which the operation on words of type t works as the
// result says. Its quantities name the source; how long the port is busy and how long a lock is
// held stay as they were, since single warps do not show them. Where further types or operations
// use the same entry, they change with it. Errors wrap ErrOptions.
func Install(base *device.Profile, o device.Operation, t device.Type, r Result,
	source string) (*device.Profile, error) {
	data, err := base.Encode()
	if err != nil {
		return nil, fmt.Errorf("copying the profile of %s: %w", base.Name, err)
	}
	p, err := device.Decode(data)
	if err != nil {
		return nil, err
	}
	use := p.Types[t]
	key, ok := use.SharedOperations[o]
	if !ok && o == device.OpAdd {
		key = use.Shared
	}
	old, ok := p.SharedAtomics[key]
	if !ok {
		key = fmt.Sprintf("%s_%s", t, o)
		set := func(value float64) device.Quantity {
			return quantity(value, "cycle", source, "assumed: single warps do not show it")
		}
		old = device.SharedAtomic{Instruction: "not recorded", Port: set(1), WritePort: set(0),
			Hold: set(0)}
		if use.SharedOperations == nil {
			use.SharedOperations = map[device.Operation]string{}
		}
		use.SharedOperations[o] = key
		p.Types[t] = use
	}
	switch lanes := int(p.Core.WarpLanes.Value); {
	case r.Params.Loops() && r.Params.Round < 1:
		return nil, fmt.Errorf("%w: a loop whose further turns take %.2f cycles: the rows do not show "+
			"its rounds", ErrData, r.Params.Round)
	case r.Params.Wide != (t.Bytes() > int(p.Shared.BankBytes.Value)):
		return nil, fmt.Errorf("%w: words of %d bytes, but the rows were fitted with wide %t", ErrOptions,
			t.Bytes(), r.Params.Wide)
	case lanes != r.Params.Lanes:
		return nil, fmt.Errorf("%w: rows of %d lanes, but warps of %s have %d", ErrOptions,
			r.Params.Lanes, p.Name, lanes)
	}
	p.SharedAtomics[key] = r.entry(old, source)
	if banks := int(p.Shared.Banks.Value); banks != r.Params.Banks && !r.doubts("banks") {
		p.Shared.Banks = quantity(float64(r.Params.Banks), "1", source, "fitted to patterns of one warp")
	}
	return p, p.Validate()
}

func quantity(value float64, unit, source, rationale string) device.Quantity {
	return device.Quantity{Value: value, Unit: unit, Source: source, Rationale: rationale}
}

// entry rewrites an atomic's constants. They are rounded to hundredths of a cycle.
func (r Result) entry(a device.SharedAtomic, source string) device.SharedAtomic {
	p := r.Params
	a.Mechanism, a.Warp = p.Mechanism, &device.WarpTiming{}
	device.FactsOf(&a, func(f device.Fact) {
		name := strings.TrimPrefix(f.Place, "warp.")
		if term := slices.Index(latency.Terms(), name); term >= 0 {
			*f.Quantity = quantity(hundredth(*p.Term(term)), "cycle", source, r.rationale(name))
		}
	})
	a.Locks = quantity(float64(p.Locks), "1", source, r.rationale("locks"))
	a.Warp.StepTurn = quantity(float64(p.StepIteration), "1", source, r.rationale("step"))
	if p.Mechanism == device.Native {
		a.Bank = a.Round
	}
	if p.Loops() && a.Hold.Value > 8*p.Round {
		a.Hold = quantity(a.Round.Value, "cycle", source, "assumed: one turn")
	}
	return a
}

func (r Result) doubts(name string) bool {
	return slices.ContainsFunc(r.Unidentified, func(u Unidentified) bool { return u.Name == name })
}

// rationale says how a constant came out.
func (r Result) rationale(name string) string {
	for _, c := range r.Constants {
		if c.Name == name {
			return fmt.Sprintf("fitted to %d rows, %d of them outliers without weight; 95 %% interval "+
				"%.5g to %.5g", r.Fitted.Rows, r.Outliers, c.Interval.Low, c.Interval.High)
		}
	}
	for _, u := range r.Unidentified {
		if u.Name == name {
			return u.Reason
		}
	}
	if name == "locks" && r.Params.Locks > 0 {
		return "searched among powers of two"
	}
	return "no part of this mechanism, or not seen"
}

// MarshalJSON writes the result with the names that people read.
func (r Result) MarshalJSON() ([]byte, error) {
	p := r.Params
	return json.Marshal(struct {
		Mechanism     device.Mechanism `json:"mechanism"`
		Lanes         int              `json:"lanes"`
		Banks         int              `json:"banks"`
		Locks         int              `json:"locks"`
		StepIteration int              `json:"step_turn"`
		HiddenCycles  float64          `json:"hidden_cycles"`
		Constants     []Constant       `json:"constants"`
		Fitted        Residuals        `json:"fitted"`
		HeldOut       Residuals        `json:"held_out"`
		Outliers      int              `json:"outliers"`
		Unidentified  []Unidentified   `json:"unidentified"`
	}{p.Mechanism, p.Lanes, p.Banks, p.Locks, p.StepIteration, p.Hidden,
		r.Constants, r.Fitted, r.HeldOut, r.Outliers, append([]Unidentified{}, r.Unidentified...)})
}
