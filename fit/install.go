package fit

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
)

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
	if r.Params.Loops() && r.Params.Round < 1 {
		return nil, fmt.Errorf("%w: a loop whose further turns take %.2f cycles: the rows do not show "+
			"its rounds", ErrData, r.Params.Round)
	}
	p.SharedAtomics[key] = r.entry(old, source)
	if wide := t.Bytes() > int(p.Shared.BankBytes.Value); wide != r.Params.Wide {
		return nil, fmt.Errorf("%w: words of %d bytes, but the rows were fitted with wide %t", ErrOptions,
			t.Bytes(), r.Params.Wide)
	}
	if lanes := int(p.Core.WarpLanes.Value); lanes != r.Params.Lanes {
		return nil, fmt.Errorf("%w: rows of %d lanes, but warps of %s have %d", ErrOptions,
			r.Params.Lanes, p.Name, lanes)
	}
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
	set := func(name string, value float64) device.Quantity {
		return quantity(hundredth(value), "cycle", source, r.rationale(name))
	}
	a.Mechanism = p.Mechanism
	a.Base, a.Round = set("base", p.Base), set("round", p.Round)
	a.Bank, a.Write = set("bank", p.Bank), set("write", p.Write)
	a.Locks = quantity(float64(p.Locks), "1", source, r.rationale("locks"))
	if p.Mechanism == device.Native {
		a.Bank = a.Round
	}
	if p.Loops() && a.Hold.Value > 8*p.Round {
		a.Hold = quantity(a.Round.Value, "cycle", source, "assumed: one turn")
	}
	a.Warp = &device.WarpTiming{
		Park: set("park", p.Park), Merge: set("merge", p.Merge),
		MergeSaved: set("merge_saved", p.MergeSaved), Split: set("split", p.Split),
		Ahead: set("ahead", p.Ahead), AheadAgain: set("ahead_again", p.AheadAgain),
		AheadLast: set("ahead_last", p.AheadLast), Step: set("step", p.Step),
		StepTurn: quantity(float64(p.StepTurn), "1", source, r.rationale("step")),
		Partial:  set("partial", p.Partial), Hidden: set("hidden", p.Hidden),
		Half: set("half", p.Half), Paired: set("paired", p.Paired),
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
		Mechanism    device.Mechanism `json:"mechanism"`
		Lanes        int              `json:"lanes"`
		Banks        int              `json:"banks"`
		Locks        int              `json:"locks"`
		StepTurn     int              `json:"step_turn"`
		HiddenCycles float64          `json:"hidden_cycles"`
		Constants    []Constant       `json:"constants"`
		Fitted       Residuals        `json:"fitted"`
		HeldOut      Residuals        `json:"held_out"`
		Outliers     int              `json:"outliers"`
		Unidentified []Unidentified   `json:"unidentified"`
	}{p.Mechanism, p.Lanes, p.Banks, p.Locks, p.StepTurn, p.Hidden,
		r.Constants, r.Fitted, r.HeldOut, r.Outliers, append([]Unidentified{}, r.Unidentified...)})
}
