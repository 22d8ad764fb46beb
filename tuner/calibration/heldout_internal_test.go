package calibration

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
)

const (
	inventedStreams = 24
	inventedFolds   = 4
)

// invented is a table of streams on which two implementations were measured. One feature decides
// by how much the first misses its prediction; odd streams miss by so much more.
func invented(t *testing.T, more float64, odd func(stream int) bool) *measured {
	t.Helper()
	d, err := device.Builtin("h200")
	tunertest.Must(t, err)
	table := &measured{streams: inventedStreams}
	table.variants, table.ranked = runnable(d, nil)
	for s := range table.streams {
		p := measuredPoint{stream: s, x: make([]float64, model.NumFeatures),
			of: unmeasured(len(table.variants))}
		p.x[2] = float64(s / 2 % 3)
		off := 0.3 * p.x[2]
		p.of[0] = timing{base: 10, us: 10 * math.Exp(off), off: off}
		p.of[1] = timing{base: 12, us: 12, off: 0}
		if odd(s) {
			p.of[0].off += more // what trees learn from, not the time that judges them
		}
		table.points = append(table.points, p)
	}
	return table
}

// TestCalibrationIsUnseen: the corrections by which a fold's streams are judged come from the
// others: they stay whatever was measured on the fold, and change with the others.
func TestCalibrationIsUnseen(t *testing.T) {
	fold := make([]int, inventedStreams)
	for s := range fold {
		fold[s] = s % inventedFolds
	}
	exported := cmp.AllowUnexported(judged{})
	for _, to := range growths()[1:] {
		for f := range inventedFolds {
			in := func(s int) bool { return fold[s] == f }
			judge := func(odd func(int) bool) [2]judged {
				ranks, keeps := invented(t, 2, odd).judgeFold(fold, f, to)
				return [2]judged{ranks, keeps}
			}
			want := judge(func(int) bool { return false })
			if len(want[0].losses) != inventedStreams/inventedFolds {
				t.Fatalf("fold %d: %d points are judged", f, len(want[0].losses))
			}
			if !cmp.Equal(want, judge(in), exported) {
				t.Errorf("fold %d, %+v: its own streams change how it is judged", f, to)
			}
			if cmp.Equal(want, judge(func(s int) bool { return !in(s) }), exported) {
				t.Errorf("fold %d, %+v: nothing is learned from the others", f, to)
			}
		}
	}
}

// TestJudgedAsPredicted: a correction that ranks nothing is judged by the times that the model
// predicts, and by the choices that it makes.
func TestJudgedAsPredicted(t *testing.T) {
	d, err := device.Builtin("h200")
	tunertest.Must(t, err)
	calls, err := h200.Archive.Calls(recordings.Fit)
	tunertest.Must(t, err)
	streams, err := h200.Archive.Streams()
	tunertest.Must(t, err)
	var known []recordings.Stream
	for label, stats := range streams {
		known = append(known, recordings.Stream{Label: label, Stats: stats})
	}
	list, _, err := MeasuredPoints(calls[:2000], known)
	tunertest.Must(t, err)
	table, err := measuredTable(d, nil, list)
	tunertest.Must(t, err)
	rows := table.rows(func(int) bool { return true })
	m, err := extended(nil, d, table)
	tunertest.Must(t, err)
	to := growths()[3]
	correctBy(m, table, selection{outcome: outcome{growth: to}})
	m.Calibration.Ranks = false
	_, got := table.judge(rows, m.Forest)
	slices.SortFunc(list, compareMeasured) // as the table has them
	var all []float64
	prices := model.NewPredictors(table.variants, d, m)
	lifted := 0
	for i, p := range list {
		if err := prices.Predict(&p.Stats, p.Call); err != nil {
			t.Fatal(err)
		}
		logs := make([]float64, len(table.variants))
		m.Forest.Corrections(table.points[i].x, m.Forest.Columns(table.variants), logs)
		for v, timing := range table.points[i].of {
			if !timing.measured() {
				continue
			}
			of, err := prices.Of(table.variants[v])
			tunertest.Must(t, err)
			all = append(all, math.Log(timing.us/of.Kernels))
			if of.Kernels > timing.base*math.Exp(logs[v])*(1+1e-9) {
				lifted++
			}
		}
	}
	if lifted == 0 {
		t.Error("no time is raised to keep its order: nothing was compared")
	}
	if len(all) != len(got.all) {
		t.Fatalf("%d times predicted, %d judged", len(all), len(got.all))
	}
	for i, want := range all {
		if math.Abs(got.all[i]-want) > 1e-9 {
			t.Fatalf("time %d of %d: judged %v, predicted %v", i, len(all), got.all[i], want)
		}
	}
	if _, base := table.judge(rows, nil); !slices.Equal(got.losses, base.losses) {
		t.Error("choices are not those of the base")
	}
}
