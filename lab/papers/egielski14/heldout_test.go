package egielski14

import (
	"fmt"
	"slices"
	"testing"
)

// levelled is a benchmark of two choices beside a form that is none. Below a warp level of
// 0.5 the first choice is twice as fast as the second, above it half as fast.
func levelled() *measured {
	m := &measured{job: job{benchmark: benchmark{
		forms: []appForm{formOriginal, formAA, formSR}, compared: 1}}}
	for i := range 24 {
		level, us := 0.2+0.01*float64(i), []float64{1, 10, 20}
		if i%2 == 1 {
			level, us = level+0.5, []float64{1, 20, 10}
		}
		m.inputs = append(m.inputs, input{name: fmt.Sprint(i), levels: [3]float64{level, 1, 1}})
		m.us = append(m.us, us)
	}
	return m
}

// TestChoiceIsLeftOut: what is chosen for an input follows from the others. It stays
// whatever the input itself took, and so an input that is unlike its neighbours is missed.
func TestChoiceIsLeftOut(t *testing.T) {
	m := levelled()
	if err := m.choose(); err != nil {
		t.Fatal(err)
	}
	if off := m.offOptimal(); off != 0 {
		t.Fatalf("%v %% off optimal where the level decides", off)
	}
	want := slices.Clone(m.chosen)
	for i := range m.inputs {
		odd := levelled()
		odd.us[i] = []float64{1, 10, 10}
		odd.us[i][want[i]] = 10_000 // the form that is right for its level
		if err := odd.choose(); err != nil {
			t.Fatal(err)
		}
		if odd.chosen[i] != want[i] || odd.offOptimal() < 100*999/float64(len(m.inputs)) {
			t.Errorf("input %d took another time, and form %d instead of %d is chosen for it; "+
				"%v %% off optimal", i, odd.chosen[i], want[i], odd.offOptimal())
		}
		for f := odd.compared; f < len(odd.forms); f++ {
			if rows := len(odd.without(i, f).X); rows != len(m.inputs)-1 {
				t.Errorf("%d of %d inputs are learned from without one", rows, len(m.inputs))
			}
		}
	}
}
