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
	f.Table(near.table("excluded-near", "Double precision, all targets in L2, ns per update",
		[]keyOrder{randomKeys}))
	f.Page = single.page("Sums by cell, single precision (simulated)", keyOrders, "")
	return f.Outcome, nil
}

// simpleSuffices is the statement that nothing is significantly faster than the
// simple atomic.
func (f *findings) simpleSuffices(name, what string, t [forms]float64, note string) {
	best := min(t[reduced], t[masked], t[hashed])
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
		whole = max(whole, t[simple]/min(t[masked], t[hashed]))
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
		worst = max(worst, max(t[masked], t[hashed])/t[simple])
	}
	return worst
}
