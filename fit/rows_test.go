package fit

import (
	"slices"
	"testing"

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
	if len(thin.cycles) != thinRows || len(thin.patterns) != thinRows || thin.thin != nil {
		t.Fatalf("%d cycles of %d patterns", len(thin.cycles), len(thin.patterns))
	}
	for i, c := range thin.cycles {
		at := i * len(m.Patterns) / thinRows
		if c != m.Columns[0].Cycles[at] || !slices.Equal(thin.patterns[i], m.Patterns[at]) {
			t.Fatalf("row %d is not that at %d", i, at)
		}
	}
	few, err := rowsOf(thin.warps, "cycles")
	if err == nil {
		t.Errorf("thinned patterns have columns: %v", few.cycles)
	}
	if again := thin.thinned(); again.warps != thin.warps {
		t.Error("few rows are thinned")
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
	want, err := Scratchpad(m, "u32_add", Options{})
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
