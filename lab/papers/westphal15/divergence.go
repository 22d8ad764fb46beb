package westphal15

import (
	"context"
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// lanesPerKey are the lanes of a warp that share a key.
var lanesPerKey = []int{1, 2, 4, 8, 16, 32}

// warpCycles simulates one warp, alone, whose keys have so many lanes each, and
// returns the cycles of the kernel.
func warpCycles(f form, d *device.Profile, t device.Type, lanes int, seed uint64) (float64, error) {
	keys := make([]uint32, 32)
	for l := range keys {
		keys[l] = uint32(l / lanes)
	}
	ns, err := f.nanoseconds(d, t, keys, 32, seed)
	return ns * float64(len(keys)) * d.Core.Clock.Value / 1e3, err
}

// spread is the cycles of one form at each of lanesPerKey.
type spread []float64

// growth is the time with all lanes on one key over that with a key each.
func (s spread) growth() float64 { return s[len(s)-1] / s[0] }

func spreadOf(f form, d *device.Profile, t device.Type, seed uint64) (spread, error) {
	var s spread
	for _, lanes := range lanesPerKey {
		cycles, err := warpCycles(f, d, t, lanes, seed)
		if err != nil {
			return nil, err
		}
		s = append(s, cycles)
	}
	return s, nil
}

// divergence compares one warp's sums where its lanes share keys.
func divergence(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	var f findings
	t := papers.NewTable("divergence", "One warp, lanes in runs of equal keys, cycles",
		"device|type|form")
	for _, lanes := range lanesPerKey {
		t.Columns = append(t.Columns, fmt.Sprintf("%d lanes per key", lanes))
	}
	page := plot.Page{Title: "One warp whose lanes share keys (simulated)", Width: 1000, Columns: 2,
		SharedY: true}
	for _, name := range boxDevices {
		if err := ctx.Err(); err != nil {
			return papers.Outcome{}, err
		}
		d, err := device.Builtin(name)
		if err != nil {
			return papers.Outcome{}, err
		}
		panel := plot.Figure{Title: fmt.Sprintf("%s (%s)", generations[name], name),
			XLabel: "lanes per key", YLabel: "kernel [cycles]", XLog: true, YLog: true}
		all := map[string]spread{}
		for _, c := range []struct {
			form form
			typ  device.Type
		}{{simple, device.F32}, {simple, device.F64}, {reduced, device.F64}, {masked, device.F64}} {
			s, err := spreadOf(c.form, d, c.typ, o.Seed)
			if err != nil {
				return papers.Outcome{}, err
			}
			key := fmt.Sprintf("%s, %s", c.form, c.typ)
			all[key] = s
			row := []any{name, c.typ, c.form}
			line := plot.Line{Name: key}
			for i, cycles := range s {
				row = append(row, cycles)
				line.X, line.Y = append(line.X, float64(lanesPerKey[i])), append(line.Y, cycles)
			}
			t.Add(row...)
			panel.Lines = append(panel.Lines, line)
		}
		page.Panels = append(page.Panels, panel)
		f.divergenceRows(generations[name], all)
	}
	f.Table(t)
	f.Page = page
	return f.Outcome, f.orderRows(o)
}

func (f *findings) divergenceRows(generation string, all map[string]spread) {
	loop, native, without := all["simple atomic, f64"].growth(), all["simple atomic, f32"].growth(),
		all["warp reduction, f64"].growth()
	f.State(generation+": double precision, simple atomic", loop, loop >= 5)
	f.State(generation+": single precision, simple atomic", native, native < 2)
	f.State(generation+": double precision, warp reduction", without, without < 2)
}

// orderRows is the statement that keys in order diverge most.
func (f *findings) orderRows(o papers.Options) error {
	iterations := map[string]float64{}
	for _, order := range keyOrders {
		keys, err := order.keys(o)
		if err != nil {
			return err
		}
		for w := 0; w < len(keys); w += 32 {
			iterations[order.name] += float64(groupsOf(keys[w:w+32]).most()) * 32 / float64(len(keys))
		}
	}
	for _, order := range keyOrders[1:] {
		f.State(order.name+" keys: turns that a warp's loop needs", iterations[order.name],
			iterations[order.name] > 2*iterations[randomKeys.name], papers.Number(iterations[randomKeys.name]))
	}
	return nil
}
