package westphal15

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// Between draws of shifted keys the time varies by as much as masks by a hash take of it, so that they
// are timed with several.
const (
	shiftedDraws = 5
	maxwell      = "gtx980"
)

// maskCost is what get_peers takes of one warp alone, in cycles.
type maskCost struct {
	passes, steps   float64
	iteration, step float64 // cycles of one
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
	c := maskCost{passes: float64(len(t.Matches)), steps: float64(len(t.Steps))}
	c.iteration = float64(t.MatchCycles) / c.passes
	c.step = float64(t.ReduceCycles) / c.steps
	return c, nil
}

// masks prices get_peers against reduce_peers, all targets in L2, so that
// no waiting for DRAM hides either.
func masks(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	runs := boxTasks(len(keyOrders))
	times, err := boxRuns(ctx, o.Phase(0, runs+shiftedDraws), device.F64, keyOrders, true)
	if err != nil {
		return papers.Outcome{}, err
	}
	draws, err := drawnShares(ctx, o.Phase(runs, runs+shiftedDraws))
	if err != nil {
		return papers.Outcome{}, err
	}
	orders := []keyOrder{orderedKeys, shiftedKeys}
	var f findings
	t := papers.NewTable("masks", "The masks of peers, double precision, all targets in L2",
		"device|keys|turns of get_peers|cycles of a turn|steps of reduce_peers|cycles of a step|"+
			"kernel, masks given [ns/update]|kernel with masks [ns/update]|masks [% of the reduction]|"+
			"kernel with masks by hash [ns/update]|masks by hash [% of the reduction]")
	shares := maskShares{draws: draws}
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
			loop, hash := shareOf(ns, masked), shareOf(ns, keyed)
			shares.loop = append(shares.loop, loop)
			if name == maxwell && order == orderedKeys {
				shares.hash = []float64{hash, stat.Mean(draws, nil)}
			}
			t.Add(name, order.name, c.passes, c.iteration, c.steps, c.step, ns[reduced], ns[masked], loop,
				ns[keyed], hash)
			f.maskRows(generations[name]+", "+order.name+" keys: ", c, ns)
		}
	}
	f.maskShareRows(shares)
	f.finderRow(times)
	f.Table(t)
	f.Page = maskPage(times, orders)
	return f.Outcome, nil
}

func (f *findings) maskRows(where string, c maskCost, ns [forms]float64) {
	f.State(where+"a turn of get_peers over a step of reduce_peers", c.iteration/c.step,
		papers.Within(c.iteration/c.step, 1, 3), c.passes, c.steps)
	once := 2 * ns[simple] / (ns[masked] + ns[reduced])
	f.State(where+"net gain where the masks serve twice", once, once > 1)
}

// maskShares are how much the masks add to the kernel's time, in percent of it without them.
type maskShares struct {
	loop  []float64 // by get_peers
	hash  []float64 // by a hash on Maxwell, of ordered keys and in the mean of draws
	draws []float64 // by a hash on Maxwell, of each draw of shifted keys
}

func shareOf(ns [forms]float64, by form) float64 { return 100 * (ns[by]/ns[reduced] - 1) }

// drawnShares are the shares of masks by a hash, of draws of shifted keys from the options' seed on.
func drawnShares(ctx context.Context, o papers.Options) ([]float64, error) {
	d, err := device.Builtin(maxwell)
	if err != nil {
		return nil, err
	}
	shares := make([]float64, shiftedDraws)
	return shares, o.Share(ctx, len(shares), func() (func(int) error, error) {
		return func(draw int) (err error) {
			drawn := o
			drawn.Seed += uint64(draw)
			var ns [forms]float64
			for _, f := range []form{reduced, keyed} {
				if ns[f], err = f.timed(drawn, d, device.F64, shiftedKeys, true); err != nil {
					return err
				}
			}
			shares[draw] = shareOf(ns, keyed)
			return nil
		}, nil
	})
}

func (f *findings) maskShareRows(s maskShares) {
	f.State("time of the masks by a hash, Maxwell", s.hash, slices.Min(s.hash) > 0 &&
		slices.Max(s.hash) < 5, strings.Join(papers.List(len(s.draws),
		func(i int) string { return fmt.Sprintf("%.2f", s.draws[i]) }), ", "))
	most := slices.Max(s.loop)
	f.State("time of the masks, at most", most, most > 33 && most < 300)
}

// finderRow compares both ways to find masks over all keys.
func (f *findings) finderRow(times boxTimes) {
	var ratios []float64
	var of []string
	for _, name := range boxDevices {
		for _, order := range keyOrders {
			ns := times[name][order.name]
			ratios = append(ratios, ns[keyed]/ns[masked])
			of = append(of, fmt.Sprintf("%s, %s: %.3g", generations[name], order.name, ns[keyed]/ns[masked]))
		}
	}
	f.State("kernel with masks by a hash over that with masks by the loop, random, ordered and shifted "+
		"keys", ratios, slices.Min(ratios) < 0.95 && slices.Max(ratios) > 1.05,
		strings.Join(of, "; "))
}

func maskPage(times boxTimes, orders []keyOrder) plot.Page {
	page := plot.Page{Title: "Warp reduction of doubles, targets in L2: the masks' part " +
		"(simulated)", Width: 900, Columns: len(orders), SharedY: true}
	for _, order := range orders {
		b := plot.Bars{Title: order.name + " keys", XLabel: "device", YLabel: "time per update [ns]",
			Stacked: true}
		b.Series = []plot.Series{{Name: "reduction"}, {Name: "masks of peers by the loop"}}
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
