package model

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// TestForest: the mean over two trees of the leaves that a vector reaches; what the forest does
// not hold stays as it is.
func TestForest(t *testing.T) {
	f := &Forest{
		Implementations: []variant.Variant{{}, {Base: variant.Sort}},
		Trees: []SharedTree{
			{ // x[2] < 5: x[0] < 1: a, b; else c
				Features: []int{2, 0, -1, -1, -1}, Thresholds: []float64{5, 1},
				Leaves: [][]int32{{100, 1}, {200, 2}, {400, 4}},
			},
			{Features: []int{-1}, Thresholds: []float64{}, Leaves: [][]int32{{1000, 10}}},
		},
	}
	if err := f.check(); err != nil {
		t.Fatal(err)
	}
	for _, broken := range []*Forest{{}, {Implementations: f.Implementations}, {Trees: f.Trees},
		{Implementations: make([]variant.Variant, mostShared+1), Trees: f.Trees}} {
		if err := broken.check(); err == nil {
			t.Errorf("a forest of %d trees for %d implementations is taken", len(broken.Trees), len(broken.Implementations))
		}
	}
	places := f.Columns([]variant.Variant{{Base: variant.Sort}, {Base: variant.Private}, {}})
	for _, c := range []struct{ x0, x2, naive, sort float64 }{
		{0, 4, 1100, 11}, {1, 4, 1200, 12}, {0, 5, 1400, 14}, {0, math.NaN(), 1400, 14},
	} {
		into := []float64{7, 7, 7}
		f.Corrections([]float64{c.x0, 0, c.x2}, places, into)
		want := []float64{c.sort * ForestStep / 2, 0, c.naive * ForestStep / 2}
		for i := range want {
			if math.Abs(into[i]-want[i]) > 1e-12 {
				t.Errorf("at %v and %v: %v, want %v", c.x0, c.x2, into, want)
				break
			}
		}
	}
}

// kept returns the embedded model of the H200, whose correction ranks nothing, the same where it ranks,
// and the device.
func kept(t *testing.T) (m, ranks *Model, d *device.Profile) {
	t.Helper()
	m, err := Embedded("h200")
	if err != nil {
		t.Fatal(err)
	}
	if d, err = device.Builtin("h200"); err != nil {
		t.Fatal(err)
	}
	calibration, of := *m.Calibration, *m
	calibration.Ranks, of.Calibration = true, &calibration
	return m, &of, d
}

// TestKeptOrder: where the embedded correction of the H200 ranks nothing, corrected times of references grow
// strictly in the order of the base's, and where it ranks, they are the forest's own. Others take no less
// than the references that the base puts before them, and change no time of these.
func TestKeptOrder(t *testing.T) {
	m, ranks, d := kept(t)
	references := slices.DeleteFunc(variant.Candidates(),
		func(v variant.Variant) bool { return v.Base == variant.Coordinator })
	list := slices.Concat(references, variant.Tables())
	predict := func(m *Model, others []variant.Variant, s *collision.Stats) []Prediction {
		p, err := NewPredictor(references, others, d, device.Call{}, true, nil, m)
		if err != nil {
			t.Fatal(err)
		}
		of := p.Buffer()
		p.Predict(s, of)
		return of.List
	}
	bare, lifted := m.Uncalibrated(), [2]int{}
	if bare.MeasuredPoints != 0 || bare.Calibration != nil || bare.Forest != nil {
		t.Errorf("of the calibration is left: %d points, %v, %v", bare.MeasuredPoints, bare.Calibration, bare.Forest)
	}
	for _, s := range ReferenceStreams {
		s.WarpSize = 32
		alone, kept := predict(m, nil, &s), predict(m, variant.Tables(), &s)
		base, own := predict(bare, variant.Tables(), &s), predict(ranks, variant.Tables(), &s)
		order := make([]int, len(references))
		for i := range order {
			order[i] = i
			if kept[i].US != alone[i].US {
				t.Errorf("%s: %v us, %v without others", list[i], kept[i].US, alone[i].US)
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(base[a].US, base[b].US) })
		held := func(i int, before float64, what int) {
			us, least := kept[i].US, max(before, own[i].US)
			if us < least || us > math.Nextafter(least, math.Inf(1)) {
				t.Errorf("%s: %v us, by the forest %v, before it %v", list[i], us, own[i].US, before)
			}
			if us > own[i].US {
				lifted[what]++
			}
		}
		last := 0.0
		for _, i := range order {
			held(i, last, 0)
			last = kept[i].US
		}
		for i := len(references); i < len(list); i++ {
			before := 0.0
			for j := range references {
				if base[j].US <= base[i].US {
					before = max(before, kept[j].US)
				}
			}
			held(i, before, 1)
		}
	}
	if lifted[0] == 0 || lifted[1] == 0 {
		t.Errorf("%d references and %d others were lifted: nothing was compared", lifted[0], lifted[1])
	}
}
