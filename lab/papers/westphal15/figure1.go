package westphal15

import (
	"context"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// A form counts as significantly faster from the ratio significant of the times
// on, and as not significantly slower below the ratio comparable.
const (
	significant = 1.25
	comparable  = 1.1
)

// generations are the names of the devices in rows.
var generations = map[string]string{"gtx680": "Kepler", "gtx980": "Maxwell"}

// boxNote says what the times of a box are.
func boxNote(o papers.Options) string {
	return fmt.Sprintf("kernel time per update, simulated, %s of the %s particles in %d stretches, "+
		"%s cells",
		papers.Thousands(sampled(o)), papers.Thousands(particles), boxPieces,
		papers.Thousands(int(boxCells)))
}

// figure1 compares the forms in double precision on ordered and shifted
// keys, as [westphal15] Figure 1.
func figure1(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	orders := []keyOrder{orderedKeys, shiftedKeys}
	runs := boxTasks(len(orders))
	times, err := boxRuns(ctx, o.Phase(0, 2*runs), device.F64, orders, false)
	if err != nil {
		return papers.Outcome{}, err
	}
	near, err := boxRuns(ctx, o.Phase(runs, 2*runs), device.F64, orders, true)
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	for _, name := range boxDevices {
		for _, order := range orders {
			f.reductionWins(name, order.name, times[name][order.name], boxNote(o))
		}
		f.nearWins(name, near[name][shiftedKeys.name], boxNote(o))
	}
	f.Table(times.table("figure1", "Double precision, ns per update", orders))
	f.Table(near.table("figure1-near", "Double precision, all targets in L2, ns per update", orders))
	f.Page = times.page("Sums by cell, double precision (simulated)", orders, "")
	f.Page.Panels = append(f.Page.Panels, near.page("", orders[1:], ", all targets in L2").Panels...)
	f.Page.Columns = len(f.Page.Panels)
	return f.Outcome, nil
}

func (f *findings) reductionWins(name, order string, t [forms]float64, note string) {
	where := fmt.Sprintf("%s, %s keys: ", generations[name], order)
	f.State(where+"warp reduction, times as fast as the simple atomic", t[simple]/t[reduced],
		t[simple] > significant*t[reduced], note)
	f.State(where+"warp reduction, times as fast as hashed binning", t[hashed]/t[reduced],
		t[hashed] > significant*t[reduced], note)
}

// nearWins is the first statement for shifted keys where every target is in L2,
// as are nearly all of those that came a short time ago.
func (f *findings) nearWins(name string, t [forms]float64, note string) {
	where := fmt.Sprintf("%s, %s keys, all targets in L2: warp reduction, times as fast as ",
		generations[name], shiftedKeys.name)
	for _, rival := range []form{simple, hashed} {
		f.State(where+rival.String(), t[rival]/t[reduced], t[rival] > significant*t[reduced], note)
	}
}

func (times boxTimes) table(name, title string, orders []keyOrder) papers.Table {
	t := papers.NewTable(name, title, "device|keys")
	for _, f := range formNames {
		t.Columns = append(t.Columns, f+" [ns]")
	}
	for _, d := range boxDevices {
		for _, order := range orders {
			row := []any{d, order.name}
			for _, ns := range times[d][order.name] {
				row = append(row, ns)
			}
			t.Add(row...)
		}
	}
	return t
}

// page draws a panel for each key order, its bars grouped by device.
func (times boxTimes) page(title string, orders []keyOrder, where string) plot.Page {
	page := plot.Page{Title: title, Width: 1100, Columns: len(orders), SharedY: true}
	for _, order := range orders {
		b := plot.Bars{Title: order.name + " keys" + where, XLabel: "device",
			YLabel: "time per update [ns]"}
		for f, name := range formNames {
			s := plot.Series{Name: name}
			var labels []string
			for _, d := range boxDevices {
				ns := times[d][order.name][f]
				s.Values = append(s.Values, ns)
				labels = append(labels, fmt.Sprintf("%.2f", ns))
			}
			b.Series, b.Labels = append(b.Series, s), append(b.Labels, labels)
		}
		for _, d := range boxDevices {
			b.Categories = append(b.Categories, fmt.Sprintf("%s (%s)", generations[d], d))
		}
		page.Panels = append(page.Panels, b)
	}
	return page
}

// excluded are the settings that [westphal15] leaves out of its figure:
// single precision, and random keys.
func excluded(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	orders := len(keyOrders)
	phase := func(before int) papers.Options { return o.Phase(boxTasks(before), boxTasks(orders+3)) }
	single, err := boxRuns(ctx, phase(0), device.F32, keyOrders, false)
	if err != nil {
		return papers.Outcome{}, err
	}
	double, err := boxRuns(ctx, phase(orders), device.F64, []keyOrder{randomKeys}, false)
	if err != nil {
		return papers.Outcome{}, err
	}
	near, err := boxRuns(ctx, phase(orders+1), device.F64, []keyOrder{randomKeys}, true)
	if err != nil {
		return papers.Outcome{}, err
	}
	singleNear, err := boxRuns(ctx, phase(orders+2), device.F32, []keyOrder{shiftedKeys}, true)
	if err != nil {
		return papers.Outcome{}, err
	}
	var f findings
	for _, name := range boxDevices {
		for _, order := range keyOrders {
			f.simpleSuffices(name, "single precision, "+order.name, single[name][order.name], boxNote(o))
		}
		f.simpleSuffices(name, "double precision, random", double[name][randomKeys.name], boxNote(o))
	}
	f.nearSuffices(singleNear, boxNote(o))
	f.overheads(double, near, boxNote(o))
	f.Table(single.table("excluded-single", "Single precision, ns per update", keyOrders))
	f.Table(double.table("excluded-double", "Double precision, ns per update", []keyOrder{randomKeys}))
	f.Table(near.table("excluded-near", "Double precision, all targets in L2, ns per update",
		[]keyOrder{randomKeys}))
	f.Page = single.page("Sums by cell, single precision (simulated)", keyOrders, "")
	return f.Outcome, nil
}

// simpleSuffices is the statement that nothing is significantly faster than the
// simple atomic.
func (f *findings) simpleSuffices(name, what string, t [forms]float64, note string) {
	best := slices.Min(t[reduced:])
	f.State(fmt.Sprintf("%s, %s keys: simple atomic against the fastest other form", generations[name],
		what),
		t[simple]/best, t[simple] < comparable*best, note)
}

// nearSuffices is the same for shifted keys of single precision where no miss
// hides what L2 does.
func (f *findings) nearSuffices(times boxTimes, note string) {
	whole, given := 0.0, 0.0
	for _, name := range boxDevices {
		t := times[name][shiftedKeys.name]
		whole = max(whole, t[simple]/slices.Min(t[masked:]))
		given = max(given, t[simple]/t[reduced])
	}
	const item = "single precision, shifted keys, all targets in L2: simple atomic against the "
	f.State(item+"fastest other form with its masks", whole, whole < comparable, note)
	f.State(item+"warp reduction, masks given", given, given < comparable, note)
}

// overheads is the statement that reducing random keys costs a lot at times.
func (f *findings) overheads(double, near boxTimes, note string) {
	const huge = 1.5
	f.State("double precision, random keys: the slowest attempt to reduce work", double.worst(),
		double.worst() >= huge, note)
	f.State("double precision, random keys, all targets in L2: the slowest attempt to reduce work",
		near.worst(), near.worst() >= huge, note)
}

// worst is the time of the slowest other form over that of the simple atomic, with
// random keys on the device where it is longest.
func (times boxTimes) worst() float64 {
	worst := 0.0
	for _, name := range boxDevices {
		t := times[name][randomKeys.name]
		worst = max(worst, slices.Max(t[masked:])/t[simple])
	}
	return worst
}
