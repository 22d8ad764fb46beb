package westphal15

import (
	"context"
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/papers"
)

// excluded are the settings that [westphal15] leaves out of its figure:
// single precision, and random keys.
func excluded(ctx context.Context, o papers.Options) (papers.Outcome, error) {
	single, err := boxRuns(ctx, o, device.F32, keyOrders, false)
	if err != nil {
		return papers.Outcome{}, err
	}
	double, err := boxRuns(ctx, o, device.F64, []keyOrder{randomKeys}, false)
	if err != nil {
		return papers.Outcome{}, err
	}
	near, err := boxRuns(ctx, o, device.F64, []keyOrder{randomKeys}, true)
	if err != nil {
		return papers.Outcome{}, err
	}
	singleNear, err := boxRuns(ctx, o, device.F32, []keyOrder{shiftedKeys}, true)
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
	f.Table(near.table("excluded-near", "Double precision, all targets in L2, ns per update", []keyOrder{randomKeys}))
	f.Page = single.page("Sums by cell, single precision (simulated)", keyOrders, "")
	return f.Outcome, nil
}

// simpleSuffices is the statement that nothing is significantly faster than the
// simple atomic.
func (f *findings) simpleSuffices(name, what string, t [forms]float64, note string) {
	best := min(t[reduced], t[masked], t[hashed])
	f.Enforce(papers.Row{
		Item:       fmt.Sprintf("%s, %s keys: simple atomic against the fastest other form", generations[name], what),
		PaperValue: papers.Text("faster or not significantly slower"), Ours: papers.Number(t[simple] / best), Unit: "times its time",
		Reason: note + fmt.Sprintf("; below %v", comparable), Holds: t[simple] < comparable*best,
	})
}

// nearSuffices is the same for shifted keys of single precision where no miss
// hides what L2 does.
func (f *findings) nearSuffices(times boxTimes, note string) {
	whole, given := 0.0, 0.0
	for _, name := range boxDevices {
		t := times[name][shiftedKeys.name]
		whole = max(whole, t[simple]/min(t[masked], t[hashed]))
		given = max(given, t[simple]/t[reduced])
	}
	const item = "single precision, shifted keys, all targets in L2: simple atomic against the "
	f.Enforce(papers.Row{
		Item: item + "fastest other form with its masks", PaperValue: papers.Text("faster or not significantly slower"), Ours: papers.Number(whole), Unit: "times its time",
		Reason: note + fmt.Sprintf("; the larger of Kepler and Maxwell; below %v", comparable), Holds: whole < comparable,
	})
	f.Gap(papers.Row{
		Item: item + "warp reduction, masks given", PaperValue: papers.Text("faster or not significantly slower"), Ours: papers.Number(given), Unit: "times its time",
		Reason: note + fmt.Sprintf("; the larger of Kepler and Maxwell; below %v would hold. Maxwell's L2 has the atomic rate of Kepler's in its profile, for want of a figure; with twice that the simple atomic is the faster one", comparable),
		Holds:  given < comparable,
	})
}

// overheads is the statement that reducing random keys costs a lot at times.
func (f *findings) overheads(double, near boxTimes, note string) {
	const huge = 1.5
	f.Gap(papers.Row{
		Item: "double precision, random keys: the slowest attempt to reduce work", PaperValue: papers.Text("huge overhead, occasionally"),
		Ours: papers.Number(double.worst()), Unit: "times the simple atomic's time",
		Reason: note + fmt.Sprintf("; %v would count. Nearly every update misses L2 here, and the turns for 32 keys hide behind DRAM, as the next row shows", huge),
		Holds:  double.worst() >= huge,
	})
	f.Enforce(papers.Row{
		Item: "double precision, random keys, all targets in L2: the slowest attempt to reduce work", PaperValue: papers.Text("huge overhead, occasionally"),
		Ours: papers.Number(near.worst()), Unit: "times the simple atomic's time",
		Reason: note + fmt.Sprintf("; %v at least", huge), Holds: near.worst() >= huge,
	})
}

// worst is the time of the slowest other form over that of the simple atomic, with
// random keys on the device where it is longest.
func (times boxTimes) worst() float64 {
	worst := 0.0
	for _, name := range boxDevices {
		t := times[name][randomKeys.name]
		worst = max(worst, max(t[masked], t[hashed])/t[simple])
	}
	return worst
}
