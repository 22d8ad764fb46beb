package westphal15

import (
	"context"
	"fmt"

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
		papers.Thousands(min(boxSample*o.Scale, particles)), papers.Thousands(particles), boxPieces,
		papers.Thousands(boxCells))
}

// figure1 compares the forms in double precision on ordered and shifted
// keys, as [westphal15] Figure 1.
func figure1(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	orders := []keyOrder{orderedKeys, shiftedKeys}
	times, err := boxRuns(ctx, o, device.F64, orders, false)
	if err != nil {
		return papers.Outcome{}, err
	}
	near, err := boxRuns(ctx, o, device.F64, orders, true)
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
				labels = append(labels, hundredths(ns))
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

// hundredths prints a label.
func hundredths(v float64) string { return fmt.Sprintf("%.2f", v) }
