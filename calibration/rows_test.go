package calibration

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/calibration/regression"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// TestDesign: the rows of a design are what the structure counts in each pattern. Equal ones are held
// once, and they are counted once.
func TestDesign(t *testing.T) {
	w := warpsOf(&patterns.Measurements{Lanes: 32, Patterns: patterns.Structured()})
	for _, s := range []latency.Structure{
		{Mechanism: device.Lock, Lanes: 32, Banks: 32, Locks: 1024},
		{Mechanism: device.Spin, Lanes: 32, Banks: 16, Locks: 64, Wide: true, Pairs: true},
	} {
		model, err := latency.NewModel(latency.Params{Structure: s})
		if err != nil {
			t.Fatal(err)
		}
		d, err := w.design(s)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Of) != len(w.patterns) || len(d.X) >= len(d.Of) {
			t.Fatalf("%d rows, %d of them different, of %d patterns", len(d.Of), len(d.X), len(w.patterns))
		}
		for i, pattern := range w.patterns {
			counts, err := model.Counts(pattern)
			if err != nil {
				t.Fatal(err)
			}
			if row := d.X[d.Of[i]]; !slices.Equal(row, counts[:]) {
				t.Fatalf("pattern %d: %v, want %v", i, row, *counts)
			}
		}
		if again, err := w.design(s); err != nil || &again.X[0] != &d.X[0] {
			t.Errorf("counted again: %v", err)
		}
	}
	if _, err := w.design(latency.Structure{}); err == nil {
		t.Error("a structure without a mechanism counts")
	}
	idle := make([]int32, 32)
	for l := range idle {
		idle[l] = patterns.Inactive
	}
	w.patterns = append(w.patterns, idle)
	if _, err := w.design(latency.Structure{Mechanism: device.Native, Lanes: 32, Banks: 32}); err == nil {
		t.Error("a pattern without an active lane is counted")
	}
}

// TestThinned: of many rows so many are left, evenly spread, with their own cycles.
func TestThinned(t *testing.T) {
	m := measured(t, fermi, 0, 0, 1)
	all, err := rowsOf(warpsOf(m), "cycles")
	if err != nil {
		t.Fatal(err)
	}
	thin := all.thinned()
	if len(thin.cycles) != thinRows || len(thin.patterns) != thinRows || thin.thinned().warps != thin.warps {
		t.Fatalf("%d cycles of %d patterns", len(thin.cycles), len(thin.patterns))
	}
	for i, c := range thin.cycles {
		at := i * len(m.Patterns) / thinRows
		if c != m.Columns[0].Cycles[at] || !slices.Equal(thin.patterns[i], m.Patterns[at]) {
			t.Fatalf("row %d is not that at %d", i, at)
		}
	}
}

// TestColumns: each column of the same cycles and size of words has the same fit, which is that of
// Scratchpad.
func TestColumns(t *testing.T) {
	m := measured(t, native, 0.02, 0.01, 1)
	m.Patterns, m.Lines = m.Patterns[:400], m.Lines[:400]
	cycles := m.Columns[0].Cycles[:400]
	m.Columns = []patterns.Column{{Name: "u32_add", Cycles: cycles}, {Name: "u32_min", Cycles: cycles}}
	all := []ColumnFit{{Column: "u32_add", Type: device.U32}, {Column: "u32_min", Type: device.U32}}
	var told [][2]int
	if err := Columns(m, all, 4, func(done, all int) { told = append(told, [2]int{done, all}) }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(told, [][2]int{{1, 1}}) {
		t.Errorf("told of %v, want one fit of one", told)
	}
	want, err := halvesOf(m).fit("u32_add", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Result.Params != want.Params || !slices.Equal(c.Result.Constants, want.Constants) {
			t.Errorf("%s: %+v, want %+v", c.Column, c.Result, want)
		}
	}
	all[1].Column = "u32_max"
	if err := Columns(m, all, 4, nil); err == nil {
		t.Error("a column that is not there was fitted")
	}
}

// TestHalfIsKeptOut: what is fitted does not change with the rows that are kept out, by which
// alone it is judged.
func TestHalfIsKeptOut(t *testing.T) {
	fitted := func(judging bool, factor float64) Result {
		m := measured(t, native, 0.01, 0, 1)
		some := &patterns.Measurements{Lanes: m.Lanes, Columns: []patterns.Column{{Name: "cycles"}}}
		for i := 0; i < len(m.Patterns); i += 6 {
			some.Patterns, some.Lines = append(some.Patterns, m.Patterns[i]), append(some.Lines, m.Lines[i])
			some.Columns[0].Cycles = append(some.Columns[0].Cycles, m.Columns[0].Cycles[i])
		}
		kept, slowed := some.Half(true), some.Half(judging)
		for i, line := range some.Lines {
			if slices.Contains(slowed.Lines, line) {
				some.Columns[0].Cycles[i] *= factor
			}
		}
		r, err := halvesOf(some).fit("cycles", false)
		if err != nil {
			t.Fatal(err)
		}
		if r.HeldOut.Rows != len(kept.Lines) || r.Fitted.Rows != len(some.Lines)-len(kept.Lines) {
			t.Errorf("%d and %d rows of %d, %d kept out", r.Fitted.Rows, r.HeldOut.Rows, len(some.Lines),
				len(kept.Lines))
		}
		return r
	}
	want, got := fitted(true, 1), fitted(true, 2)
	if other := fitted(false, 2); cmp.Equal(want.Params, other.Params) {
		t.Error("the fitted rows change nothing: this test cannot fail")
	}
	if want.HeldOut.Median > 0.02 || got.HeldOut.Median < 0.4 {
		t.Errorf("median error of the kept rows %v, and %v where they took twice as long",
			want.HeldOut.Median, got.HeldOut.Median)
	}
	want.HeldOut, got.HeldOut = Residuals{}, Residuals{}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the rows that are kept out change the fit:\n%s", diff)
	}
}

// TestContenders: what is said of the contenders is what is said of all structures, and no structure
// has less loss than its floor.
func TestContenders(t *testing.T) {
	for _, c := range []struct {
		name  string
		truth latency.Params
		noise float64
		fewer bool // contenders than structures
	}{
		{"exact", hopper, 0, true}, {"rounded", native, 1e-4, true}, {"noisy", swap, 0.02, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, err := rowsOf(warpsOf(measured(t, c.truth, c.noise, c.noise/2, 1)), "cycles")
			if err != nil {
				t.Fatal(err)
			}
			data = data.thinned()
			list := structures(data, false)
			all, some := fitAll(data, list, (*candidate).fit), contenders(data, list)
			if fewer := len(some) < len(all)/2; fewer != c.fewer {
				t.Errorf("%d contenders of %d structures", len(some), len(all))
			}
			best, same := rank(all), rank(some)
			if best.Structure != same.Structure || !cmp.Equal(best.B, same.B) || best.loss != same.loss {
				t.Errorf("%+v of the contenders, %+v of all", same.Structure, best.Structure)
			}
			if diff := cmp.Diff(alternatives(all, best), alternatives(some, same)); diff != "" {
				t.Errorf("as well (-all +contenders):\n%s", diff)
			}
			floors := floorsOf(all, data.cycles)
			for i, noise := 0, noiseOf(all); i < len(all); i++ {
				f := &floors[i]
				f.raise(noise)
				if all[i].scale < noise && !f.quieter && noise > regression.LeastScale ||
					lossOf(all[i].errs, noise)*float64(len(data.cycles)) < f.loss {
					t.Errorf("%+v: floor %v, quieter %t", all[i].Structure, f.loss, f.quieter)
				}
			}
		})
	}
}

// TestFloor: of rows that are predicted the same, one prediction reaches those that are near each other.
func TestFloor(t *testing.T) {
	c := &candidate{}
	c.Design = regression.Design{X: [][]float64{{1}, {2}}, Of: []int32{0, 1, 0, 0, 1}}
	f := floorsOf([]*candidate{c}, []float64{100, 7, 102, 150, 7})[0]
	for e, want := range map[float64]int{0: 3, 0.009: 3, 0.01: 4, 0.19: 4, 0.2: 5} {
		if got := f.within(e); got != want {
			t.Errorf("%d rows within %v, want %d", got, e, want)
		}
	}
	// Within 1, 2, 3 and 4 times 0.005 lie 3, 4, 4 and 4 of 5 rows.
	if f.raise(0.005); math.Abs(f.loss-(2*1+1*3+1*5+1*7)) > 1e-6 {
		t.Errorf("the loss is at least %v", f.loss)
	}
	if !f.quieter {
		t.Error("the errors of 3 of 5 rows can be 0")
	}
	if f.raise(regression.LeastScale); f.quieter {
		t.Error("there is no less noise than the least")
	}
}
