package calibration

import (
	"math"
	"slices"
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
		p.of[0] = timing{base: 10, us: 10 * math.Exp(off), off: off, weight: 1}
		p.of[1] = timing{base: 12, us: 12, off: 0, weight: 1}
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
	list := []growth{{}, {leaves: 1}, {leaves: 1, apart: true}, {leaves: 4, apart: true, prior: 5}}
	exported := cmp.AllowUnexported(judged{})
	for fold := range inventedFolds {
		in := func(s int) bool { return s%inventedFolds == fold }
		judge := func(odd func(int) bool) []judged {
			return invented(t, 2, odd).judgeFold(fold, inventedFolds, list)
		}
		want := judge(func(int) bool { return false })
		for i, j := range want {
			if len(j.streams) != inventedStreams/inventedFolds ||
				slices.ContainsFunc(j.streams, func(s int) bool { return !in(s) }) {
				t.Fatalf("fold %d: streams %v are judged", fold, j.streams)
			}
			if got := judge(in)[i]; !cmp.Equal(j, got, exported) {
				t.Errorf("fold %d, %+v: its own streams change how it is judged", fold, list[i])
			}
		}
		if cmp.Equal(want, judge(func(s int) bool { return !in(s) }), exported) {
			t.Errorf("fold %d: nothing is learned from the others", fold)
		}
	}
}

// TestNoWorse holds the test of a lower loss against Student's t by hand: 3.182 standard errors
// of the mean over four streams.
func TestNoWorse(t *testing.T) {
	before := judged{streams: []int{0, 1, 2, 3}, losses: []float64{2, 2, 2, 2}}
	for _, c := range []struct {
		losses  []float64
		streams int
		want    bool
	}{
		{[]float64{2, 2, 2, 2}, 4, true},
		{[]float64{1, 1, 1, 1.5}, 4, true},    // -0.875 and 0.125
		{[]float64{1, 1, 1, 2.5}, 4, false},   // -0.625 and 0.375
		{[]float64{1.5, 1, 1, 1.5}, 4, true},  // -0.75 and 0.144
		{[]float64{1.1, 1, 1, 1.9}, 4, true},  // -0.75 and 0.218, 3.4 of them
		{[]float64{1.1, 1, 1, 2.0}, 4, false}, // -0.725 and 0.243, 3.0 of them
		{[]float64{2.1, 2, 2, 2}, 4, false},
		{[]float64{1, 1, 1, 1}, 1, false}, // of one stream nothing follows
	} {
		after := judged{streams: before.streams, losses: c.losses}
		if got := after.noWorse(&before, c.streams); got != c.want {
			t.Errorf("losses %v of %d streams: no worse: %t", c.losses, c.streams, got)
		}
	}
}
