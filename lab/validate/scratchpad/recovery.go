package scratchpad

import (
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/calibration"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/synthetic"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/latency"
)

// known are parameters that measurements are made of, with the constants that
// a fit has to find again.
var known = []struct {
	name      string
	params    latency.Params
	constants []string
}{
	{"GeForce GTX 580's lock loop", latency.Params{
		Structure: latency.Structure{Mechanism: device.Lock, Lanes: 32, Banks: 32, Locks: 1024},
		Constants: latency.Constants{Base: 108, Round: 120, Bank: 32, Write: 32},
	}, []string{"base", "round", "bank", "write"}},
	{"a loop with one lock per bank and a step at the third turn", latency.Params{
		Structure: latency.Structure{
			Mechanism: device.Spin, Lanes: 32, Banks: 32, Locks: 32, StepIteration: 3,
		},
		Constants: latency.Constants{Base: 105, Round: 95, Bank: 2, Step: 35},
	}, []string{"base", "round", "bank", "step"}},
	{"a native unit", latency.Params{
		Structure: latency.Structure{Mechanism: device.Native, Lanes: 32, Banks: 32},
		Constants: latency.Constants{Base: 37, Round: 2},
	}, []string{"base", "round"}},
}

// fits is how many fits are made of known parameters, and as many of the H200's own.
const fits = 3

// mostError is the limit of a constant's error, in percent.
const mostError = 2

// refitted fits measurements that are made of parameters, with 2 % noise and 1 % outliers, and
// returns how far each constant that is not 0 is off, in percent.
func refitted(
	p latency.Params, noise uint64,
) (r calibration.Result, off map[string]float64, err error) {
	m, err := synthetic.Scratchpad(p, patterns.Structured(),
		synthetic.Noise{Relative: 0.02, Outliers: 0.01}, noise)
	if err != nil {
		return r, nil, err
	}
	column := []calibration.ColumnFit{{Column: "cycles", Type: device.U32}}
	err = calibration.Columns(m, column, device.U32.Bytes(), nil)
	r = column[0].Result
	off = map[string]float64{}
	for number, term := range latency.Terms() {
		if truth := p.Constant(number); truth > 0 {
			off[term] = 100 * math.Abs(r.Params.Constant(number)/truth-1)
		}
	}
	return r, off, err
}

func missed(found, truth int) float64 { return math.Abs(float64(found - truth)) }

// recovered fits measurements of known constants: a constant is found again within 2 %, locks
// and banks exactly.
func recovered(o Options) (all []validate.Check, err error) {
	for _, k := range known[:o.fits] {
		r, off, err := refitted(k.params, o.Seed)
		if err != nil {
			return nil, err
		}
		add := func(what, unit string, value, limit float64) {
			all = append(all, validate.AtMost("fit, 2 % noise and 1 % outliers, "+k.name+": "+what,
				value, limit, unit, r.Fitted.Rows))
		}
		p := k.params
		add(fmt.Sprintf("locks missed (%d)", p.Locks), "", missed(r.Params.Locks, p.Locks), 0)
		add(fmt.Sprintf("banks missed (%d)", p.Banks), "", missed(r.Params.Banks, p.Banks), 0)
		for number, term := range latency.Terms() {
			if slices.Contains(k.constants, term) {
				what := fmt.Sprintf("error of %s (%v cycles)", term, p.Constant(number))
				add(what, "%", off[term], mostError)
			}
		}
	}
	return all, nil
}

// recoveredH200 fits measurements of the H200's own f32 loop. Its large
// constants come back within 2 %, those of a few cycles do not.
func recoveredH200(o Options) ([]validate.Check, error) {
	both, err := open("h200", device.OpAdd, device.F32)
	if err != nil {
		return nil, err
	}
	worst, locks, rows := map[string]float64{}, 0.0, 0
	for trial := range o.fits {
		r, off, err := refitted(both.params, o.Seed+uint64(trial))
		if err != nil {
			return nil, err
		}
		rows += r.Fitted.Rows
		locks = max(locks, missed(r.Params.Locks, both.params.Locks))
		for term, percent := range off {
			worst[term] = max(worst[term], percent)
		}
	}
	item := fmt.Sprintf("fit, 2 %% noise and 1 %% outliers, the H200's f32 loop, worst of %d: ",
		o.fits)
	all := []validate.Check{validate.AtMost(item+"locks missed (32)", locks, 0, "", rows)}
	for _, term := range []string{"base", "round", "bank", "merge_saved", "park"} {
		c := validate.AtMost(item+"error of "+term, worst[term], mostError, "%", rows)
		if term == "merge_saved" || term == "park" {
			c = c.Gap("a few cycles among hundreds, which 2 % noise covers")
		}
		all = append(all, c)
	}
	return all, nil
}
