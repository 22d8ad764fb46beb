package calibration

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/device"
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
	if err != nil {
		t.Fatal(err)
	}
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
			judge := func(odd func(int) bool) judged { return invented(t, 2, odd).judgeFold(fold, f, to) }
			want := judge(func(int) bool { return false })
			if len(want.losses) != inventedStreams/inventedFolds {
				t.Fatalf("fold %d: %d points are judged", f, len(want.losses))
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
