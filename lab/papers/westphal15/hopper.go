package westphal15

import (
	"context"
	"fmt"
	"sync"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// hopperOrders are recorded streams over the same cells in the same orders.
var hopperOrders = []keyOrder{
	{randomKeys.name, "uniform:n=3432084,k=1000000,seed=2"},
	{orderedKeys.name, "cells:n=1810729,k=1000000,seed=6,ppc=10,shift=0"},
	{shiftedKeys.name, "cells:n=1066647,k=1000000,seed=6,ppc=10,shift=0.5"},
}

// hopperForms are the recorded implementations: the simple atomic, the warp
// reduction, and the same with masks by the match instruction.
var hopperForms = []impl.Spec{{}, {Reduction: impl.Peers}, {Reduction: impl.Match}}

// hopperTime is a whole call on an H200 in microseconds.
type hopperTime struct{ simulated, measured float64 }

// hopperKey tells the calls apart.
type hopperKey struct {
	order string
	typ   device.Type
	form  impl.Spec
}

type hopperTimes map[hopperKey]hopperTime

// hopperCalls lists the calls of one order of keys.
func hopperCalls(order keyOrder) (all []hopperKey) {
	for _, t := range []device.Type{device.F32, device.F64} {
		for _, v := range hopperForms {
			all = append(all, hopperKey{order.name, t, v})
		}
	}
	return all
}

// hopperMeasured takes the recorded calls, of both parts.
var hopperMeasured = sync.OnceValues(func() (hopperTimes, error) {
	all := hopperTimes{}
	names := map[string]string{}
	for _, order := range hopperOrders {
		names[order.spec] = order.name
	}
	calls, err := h200.Archive.Set("").Calls()
	if err != nil {
		return nil, err
	}
	for _, c := range calls {
		if name, ok := names[c.Label]; ok && c.Call == (device.Call{Type: c.Call.Type}) &&
			c.Origin == recordings.Measured {
			all[hopperKey{name, c.Call.Type, c.Implementation}] = hopperTime{measured: c.MedianUS}
		}
	}
	return all, nil
})

// hopperRuns simulates what was measured.
func hopperRuns(ctx context.Context, o papers.Options) (hopperTimes, error) {
	recorded, err := hopperMeasured()
	if err != nil {
		return nil, err
	}
	d, err := device.Builtin("h200")
	if err != nil {
		return nil, err
	}
	all := hopperTimes{}
	for i, order := range hopperOrders {
		spec, err := synth.Parse(order.spec)
		if err != nil {
			return nil, err
		}
		keys, err := synth.Generate(spec)
		if err != nil {
			return nil, err
		}
		for _, call := range hopperCalls(order) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			t, v := call.typ, call.form
			cfg := hwsim.Config{Device: d, Call: device.Call{Type: t}, Implementation: v, Seed: o.Seed}
			run := fmt.Sprintf("westphal15 %s | %s, %s, %s, seed %d", d.Name, v, t, order.spec, o.Seed)
			us, err := o.Simulated(run, func() (float64, error) {
				return hwsim.Estimate(cfg, keys, boxCells)
			})
			if err == nil && recorded[call].measured == 0 {
				err = fmt.Errorf("%w: %s of %s in %s was not recorded", papers.ErrOptions, v, t, order.spec)
			}
			if err != nil {
				return nil, err
			}
			all[call] = hopperTime{us, recorded[call].measured}
		}
		o.Progress(float64(i+1), float64(len(hopperOrders)))
	}
	return all, nil
}

// hopper asks whether the article's findings hold two and more
// generations later, on a device that adds doubles by itself.
func hopper(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	times, err := hopperRuns(ctx, o)
	if err != nil {
		return papers.Outcome{}, err
	}
	recorded, err := hopperMeasured()
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	f.hopperRows(times, recorded)
	t := papers.NewTable("hopper", "Whole calls on an H200, us",
		"keys|type|implementation|simulated [us]|measured [us]|simulated over measured")
	for _, order := range hopperOrders {
		for _, call := range hopperCalls(order) {
			x := times[call]
			t.Add(order.name, call.typ, call.form, x.simulated, x.measured, x.simulated/x.measured)
		}
	}
	f.Table(t)
	f.Page = hopperPage(times)
	return f.Outcome, nil
}

func (times hopperTimes) measured(order string, t device.Type, v impl.Spec) float64 {
	return times[hopperKey{order, t, v}].measured
}

// hopperRows judges the recorded calls, and the simulated ones by them.
func (f *findings) hopperRows(times, recorded hopperTimes) {
	plain, loop, match := hopperForms[0], hopperForms[1], hopperForms[2]
	overhead := recorded.measured(randomKeys.name, device.F64, loop) /
		recorded.measured(randomKeys.name, device.F64, plain)
	f.State("double precision, random keys: reduction with masks", overhead, overhead >= 1.5)
	for _, order := range []string{orderedKeys.name, shiftedKeys.name} {
		over := func(t device.Type, reduced impl.Spec) float64 {
			return recorded.measured(order, t, plain) / recorded.measured(order, t, reduced)
		}
		gain := over(device.F64, match)
		f.State("double precision, "+order+" keys: warp reduction, masks by match", gain,
			gain > significant)
		single := over(device.F32, match)
		f.State("single precision, "+order+" keys: simple atomic against warp reduction", single,
			single < comparable, over(device.U32, match), over(device.F32, loop))
	}
	least, most := 1.0, 1.0
	for _, x := range times {
		least, most = min(least, x.simulated/x.measured), max(most, x.simulated/x.measured)
	}
	f.State("simulated over measured times", papers.Interval(least, most), least > 1/1.6 && most < 1.6,
		len(times))
}

func hopperPage(times hopperTimes) plot.Page {
	page := plot.Page{Title: "Sums by cell on an H200, whole calls", Width: 1000,
		Columns: len(hopperOrders)}
	for _, order := range hopperOrders {
		b := plot.Bars{Title: order.name + " keys", XLabel: "implementation, type", YLabel: "time [us]",
			Series: []plot.Series{{Name: "simulated"}, {Name: "measured"}}}
		for _, call := range hopperCalls(order) {
			b.Categories = append(b.Categories, fmt.Sprintf("%s %s", call.form, call.typ))
			b.Series[0].Values = append(b.Series[0].Values, times[call].simulated)
			b.Series[1].Values = append(b.Series[1].Values, times[call].measured)
		}
		page.Panels = append(page.Panels, b)
	}
	return page
}
