package scratchpad

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/calibration"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
)

// target is what a column of the H200's recordings is held to: limits of the median, the 90th
// percentile and the largest of the closed form's relative error, in percent; 0 for none. The
// simulator is held to twice as much.
type target struct {
	column            string
	operation         device.Operation
	typ               device.Type
	median, p90, most float64
	gap               string // why the limit of the largest is not kept
}

var targets = []target{
	{"u32_add", device.OpAdd, device.U32, 0.1, 0.5, 0, ""},
	{"u32_min", device.OpMin, device.U32, 0.1, 0.5, 0, ""},
	{"u32_exch", device.OpExchange, device.U32, 0.1, 0.5, 0, ""},
	{"f32_add", device.OpAdd, device.F32, 1, 4, 0, ""},
	{"u64_add", device.OpAdd, device.U64, 1.5, 0, 0, ""},
	{"f64_add", device.OpAdd, device.F64, 1.5, 0, 0, ""},
	{"u64_exch", device.OpExchange, device.U64, 1.5, 0, 0, ""},
	{"u32_casloop", device.OpCASLoop, device.U32, 3, 0, 2,
		"with lanes left out the first read's conflict passes beneath less work"},
	{"f32_casloop", device.OpCASLoop, device.F32, 3, 0, 0, ""},
	{"f64_casloop", device.OpCASLoop, device.F64, 3, 0, 0, ""},
	{"u32_casfree", device.OpCASFree, device.U32, 3, 4, 2,
		"lanes that run apart after the second branch, or with lanes left out, are not followed"},
	{"f32_casfree", device.OpCASFree, device.F32, 3, 4, 0, ""},
	{"u32_load", device.OpLoad, device.U32, 0.1, 0.5, 0, ""},
	{"u32_store", device.OpStore, device.U32, 0.1, 0.5, 0, ""},
	{"u64_load", device.OpLoad, device.U64, 1.5, 0, 0, ""},
	{"u64_store", device.OpStore, device.U64, 1.5, 0, 2,
		"a store of words that lanes share in pairs is not served as a load of them is; " +
			"nothing here describes it"},
}

// recorded compares with the half of the H200's recordings that no constant
// was fitted to.
func recorded() ([]validate.Check, error) {
	m, err := h200.Archive.Scratchpad()
	if err != nil {
		return nil, err
	}
	judge := m.Half(true)
	var all []validate.Check
	for _, t := range targets {
		checks, err := t.judge(judge)
		if err != nil {
			return nil, err
		}
		all = append(all, checks...)
	}
	return all, nil
}

func (t target) judge(m *patterns.Measurements) ([]validate.Check, error) {
	column, err := m.Column(t.column)
	if err != nil {
		return nil, err
	}
	both, err := open("h200", t.operation, t.typ)
	if err != nil {
		return nil, err
	}
	var errs [2][]float64 // of closed form and simulator
	for i, p := range m.Patterns {
		closed, simulated, err := both.cycles(p)
		if err != nil {
			return nil, err
		}
		errs[0] = append(errs[0], math.Abs(closed/column.Cycles[i]-1))
		errs[1] = append(errs[1], math.Abs(simulated/column.Cycles[i]-1))
	}
	var all []validate.Check
	for i, route := range []string{"closed form", "simulated"} {
		r := calibration.Summarise(errs[i])
		check := func(figure string, value, limit float64) validate.Check {
			return validate.AtMost(
				fmt.Sprintf("h200, %s, %s against held-out recordings: %s", t.column, route, figure),
				100*value, float64(i+1)*limit, "%", r.Rows)
		}
		all = append(all, check("median error", r.Median, t.median))
		if t.p90 > 0 {
			all = append(all, check("90th percentile", r.P90, t.p90))
		}
		if t.most > 0 {
			all = append(all, check("largest error", r.Max, t.most).Gap(t.gap))
		}
	}
	return all, nil
}
