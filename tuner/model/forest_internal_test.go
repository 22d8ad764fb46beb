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

// TestKeptOrder: where the embedded correction of the H200 ranks nothing, corrected times grow
// strictly in the order of the base's, and where it ranks, they are the forest's own.
func TestKeptOrder(t *testing.T) {
	m, ranks, d := kept(t)
	predictor := func(m *Model) (*Predictor, *Predictions) {
		var list []variant.Variant
		for _, c := range m.Implementations {
			if c.Name.Base != variant.Coordinator {
				list = append(list, c.Name)
			}
		}
		p, err := NewPredictor(list, nil, d, device.Call{}, true, nil, m)
		if err != nil {
			t.Fatal(err)
		}
		return p, p.Buffer()
	}
	bare := m.Uncalibrated()
	if bare.MeasuredPoints != 0 || bare.Calibration != nil || bare.Forest != nil {
		t.Errorf("of the calibration is left: %d points, %v, %v", bare.MeasuredPoints, bare.Calibration, bare.Forest)
	}
	base, plain := predictor(bare)
	kept, inOrder := predictor(m)
	free, own := predictor(ranks)
	lifted := 0
	for _, s := range []collision.Stats{ReferenceStreams[0], ReferenceStreams[1], ReferenceStreams[0]} {
		s.WarpSize = 32
		base.Predict(&s, plain)
		kept.Predict(&s, inOrder)
		free.Predict(&s, own)
		order := make([]int, len(plain.List))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Compare(plain.List[a].US, plain.List[b].US)
		})
		last := 0.0
		for _, i := range order {
			us, most := inOrder.List[i].US, max(last, own.List[i].US)
			if us < most || us > math.Nextafter(most, math.Inf(1)) {
				t.Errorf("%s: %v us, by the forest %v, before it %v", base.List[i], us, own.List[i].US, last)
			}
			if us > own.List[i].US {
				lifted++
			}
			last = us
		}
	}
	if lifted == 0 {
		t.Error("the forest keeps every order by itself: nothing was compared")
	}
}

// TestOthersKeepOrder: where a model keeps an order, an implementation that is no reference takes no less
// than the references that the base puts before it, and changes no time of them.
func TestOthersKeepOrder(t *testing.T) {
	m, ranks, d := kept(t)
	references := slices.DeleteFunc(variant.Candidates(),
		func(v variant.Variant) bool { return v.Base == variant.Coordinator })
	others := variant.Tables()
	predict := func(m *Model, others []variant.Variant, s *collision.Stats) []Prediction {
		p, err := NewPredictor(references, others, d, device.Call{}, true, nil, m)
		if err != nil {
			t.Fatal(err)
		}
		of := p.Buffer()
		p.Predict(s, of)
		return of.List
	}
	lifted, n := 0, len(references)
	for _, s := range ReferenceStreams {
		s.WarpSize = 32
		alone, kept := predict(m, nil, &s), predict(m, others, &s)
		base, own := predict(m.Uncalibrated(), others, &s), predict(ranks, others, &s)
		for i := range kept {
			if i < n {
				if kept[i].US != alone[i].US {
					t.Errorf("%s: %v us, %v without others", references[i], kept[i].US, alone[i].US)
				}
				continue
			}
			least := own[i].US
			for j := range n {
				if base[j].US <= base[i].US {
					least = max(least, kept[j].US)
				}
			}
			if us := kept[i].US; us < least || us > math.Nextafter(least, math.Inf(1)) {
				t.Errorf("%s: %v us, want %v", others[i-n], us, least)
			}
			if kept[i].US > own[i].US {
				lifted++
			}
		}
	}
	if lifted == 0 {
		t.Error("no other was lifted: nothing was compared")
	}
}
