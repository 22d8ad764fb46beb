package model_test

import (
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
)

// TestPath: the comparisons on the way of a stream are true of it, lead from the root, and are in its own
// quantities, which have words.
func TestPath(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	m, err := model.Embedded(d.Name)
	tunertest.Must(t, err)
	ways := map[int][]model.Comparison{}
	for i, s := range tunertest.Streams(t) {
		c := tunertest.Calls()[i%12]
		var x model.Vector
		x.Fill(s, c)
		path := m.Tree.Path(&x)
		for _, at := range path {
			if at.Below != (at.Value < at.Threshold) {
				t.Errorf("%+v", at)
			}
			if at.Feature == "updates" && math.Abs(at.Value-float64(s.Updates)) > 1e-6*at.Value {
				t.Errorf("%+v of %d updates", at, s.Updates)
			}
			if words, _ := model.Words(at.Feature); words == "" {
				t.Errorf("no words for %s", at.Feature)
			}
		}
		leaf := m.Tree.Find(&x)
		if other := ways[leaf]; other != nil && !slices.EqualFunc(path, other, func(a, b model.Comparison) bool {
			return a.Feature == b.Feature && a.Threshold == b.Threshold && a.Below == b.Below
		}) {
			t.Errorf("two ways to leaf %d: %+v and %+v", leaf, path, other)
		}
		ways[leaf] = path
		p, err := model.NewPredictor([]impl.Spec{{}}, d, model.Asked{Call: c}, nil)
		tunertest.Must(t, err)
		if of := p.Buffer(); p.Path(of) != nil {
			t.Error("a path without a tree")
		}
	}
	if len(m.Tree.Leaves) > 1 && len(ways) < 2 {
		t.Errorf("%d leaves are reached", len(ways))
	}
}

// TestIntervalsKept: intervals are written and read as they are, and tell times that were measured.
func TestIntervalsKept(t *testing.T) {
	m, err := model.Embedded("h200")
	tunertest.Must(t, err)
	if m.Intervals == nil {
		t.Fatal("the embedded model of the H200 has no intervals")
	}
	back, err := model.Decode(tunertest.MustEncode(t, m))
	tunertest.Must(t, err)
	if *back.Intervals != *m.Intervals {
		t.Errorf("%+v, read as %+v", m.Intervals, back.Intervals)
	}
	d := tunertest.Profile(t, "h200")
	for _, of := range []*model.Model{m, m.With(nil)} {
		p, err := model.NewPredictor([]impl.Spec{{}}, d, model.Asked{}, of)
		tunertest.Must(t, err)
		if p.Measured() != (of == m) {
			t.Errorf("measured: %t", p.Measured())
		}
	}
	wrong := *m.Intervals
	wrong.Classes[1].Low = wrong.Classes[1].High + 1
	if m.With(&wrong).Validate() == nil {
		t.Error("an interval that ends before it begins")
	}
}
