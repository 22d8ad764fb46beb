package westphal15

import (
	"context"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// maskCost is what get_peers takes of one warp alone, in cycles.
type maskCost struct {
	turns, steps float64
	turn, step   float64 // cycles of one
}

// maskCostOf traces the first warp of the keys, numbered in the order of their
// first lanes.
func maskCostOf(d *device.Profile, keys []uint32, seed uint64) (maskCost, error) {
	numbers := map[uint32]uint32{}
	warp := make([]uint32, 32)
	for l, key := range keys[:32] {
		if _, seen := numbers[key]; !seen {
			numbers[key] = uint32(len(numbers))
		}
		warp[l] = numbers[key]
	}
	t, err := apps.TracePeers(hwsim.Config{Device: d, Call: device.Call{Type: device.F64}, Seed: seed},
		warp, 32)
	if err != nil {
		return maskCost{}, err
	}
	c := maskCost{turns: float64(len(t.Matches)), steps: float64(len(t.Steps))}
	c.turn = float64(t.MatchCycles) / c.turns
	c.step = float64(t.ReduceCycles) / c.steps
	return c, nil
}

// masks prices get_peers against reduce_peers, all targets in L2, so that
// no waiting for DRAM hides either.
func masks(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	orders := []keyOrder{orderedKeys, shiftedKeys}
	times, err := boxRuns(ctx, o, device.F64, orders, true)
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	t := papers.NewTable("masks", "The masks of peers, double precision, all targets in L2",
		"device|keys|turns of get_peers|cycles of a turn|steps of reduce_peers|cycles of a step|"+
			"kernel, masks given [ns/update]|kernel with masks [ns/update]|masks [% of the reduction]")
	var shares []float64
	for _, name := range boxDevices {
		d, err := device.Builtin(name)
		if err != nil {
			return papers.Outcome{}, err
		}
		for _, order := range orders {
			keys, err := order.keys(o)
			if err != nil {
				return papers.Outcome{}, err
			}
			c, err := maskCostOf(d, keys, o.Seed)
			if err != nil {
				return papers.Outcome{}, err
			}
			ns := times[name][order.name]
			share := 100 * (ns[masked] - ns[reduced]) / ns[reduced]
			shares = append(shares, share)
			t.Add(name, order.name, c.turns, c.turn, c.steps, c.step, ns[reduced], ns[masked], share)
			f.maskRows(generations[name]+", "+order.name+" keys: ", c, ns)
		}
	}
	f.maskShareRows(shares)
	f.Table(t)
	f.Page = maskPage(times, orders)
	return f.Outcome, nil
}

func (f *findings) maskRows(where string, c maskCost, ns [forms]float64) {
	f.State(where+"a turn of get_peers over a step of reduce_peers", c.turn/c.step,
		papers.Within(c.turn/c.step, 1, 3), c.turns, c.steps)
	once := 2 * ns[simple] / (ns[masked] + ns[reduced])
	f.State(where+"net gain where the masks serve twice", once, once > 1)
}

// maskShareRows is how much of the kernel's time the masks take.
func (f *findings) maskShareRows(shares []float64) {
	least, most := slices.Min(shares), slices.Max(shares)
	f.State("time of the masks, at least", least, least < 5)
	f.State("time of the masks, at most", most, most > 33 && most < 300)
}

func maskPage(times boxTimes, orders []keyOrder) plot.Page {
	page := plot.Page{Title: "Warp reduction, double precision, targets in L2: the masks' part " +
		"(simulated)", Width: 900, Columns: len(orders), SharedY: true}
	for _, order := range orders {
		b := plot.Bars{Title: order.name + " keys", XLabel: "device", YLabel: "time per update [ns]",
			Stacked: true}
		b.Series = []plot.Series{{Name: "reduction"}, {Name: "masks of peers"}}
		for _, d := range boxDevices {
			ns := times[d][order.name]
			b.Categories = append(b.Categories, fmt.Sprintf("%s (%s)", generations[d], d))
			b.Series[0].Values = append(b.Series[0].Values, ns[reduced])
			b.Series[1].Values = append(b.Series[1].Values, max(0, ns[masked]-ns[reduced]))
		}
		page.Panels = append(page.Panels, b)
	}
	return page
}
