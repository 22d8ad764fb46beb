package h200

import (
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/patterns"
)

func TestScratchpad(t *testing.T) {
	m, err := Scratchpad()
	if err != nil {
		t.Fatal(err)
	}
	want := append(patterns.Structured(), patterns.Random(1, 27)...)
	if !slices.EqualFunc(m.Patterns, want, slices.Equal[patterns.Pattern]) {
		t.Error("the recorded patterns are not those that package patterns makes")
	}
	if len(m.Columns) != 17 || len(m.Notes) != 2 {
		t.Errorf("%d columns, notes %q", len(m.Columns), m.Notes)
	}
}

// TestScratchpadInstructions checks that each kernel holds the instruction
// that its column is named for, once for each of the 8 unrolled operations.
func TestScratchpadInstructions(t *testing.T) {
	kernels, err := ScratchpadInstructions()
	if err != nil {
		t.Fatal(err)
	}
	m, err := Scratchpad()
	if err != nil {
		t.Fatal(err)
	}
	expected := map[string]string{
		"u32_load": "LDS", "u32_store": "LDS", "u32_add": "ATOMS.ADD", "u32_inc": "ATOMS.ADD", "u32_min": "ATOMS.MIN",
		"u32_exch": "ATOMS.EXCH", "u32_casloop": "ATOMS.CAS", "u32_casfree": "ATOMS.CAS", "f32_add": "ATOMS.CAST.SPIN",
		"f32_casloop": "ATOMS.CAS", "f32_casfree": "ATOMS.CAS", "u64_load": "LDS.64", "u64_store": "LDS.64",
		"u64_add": "ATOMS.CAST.SPIN.64", "u64_exch": "ATOMS.EXCH.64", "f64_add": "ATOMS.CAST.SPIN.64", "f64_casloop": "ATOMS.CAS.64",
	}
	for _, c := range m.Columns {
		if n := kernels[c.Name][expected[c.Name]]; n != 8 {
			t.Errorf("%s: %d times %q in %v", c.Name, n, expected[c.Name], kernels[c.Name])
		}
	}
}

func TestContentions(t *testing.T) {
	all, err := Contentions()
	if err != nil {
		t.Fatal(err)
	}
	operations := map[string]int{}
	for _, c := range all {
		operations[c.Operation]++
		if c.Colliding > c.Warps || c.Cycles <= 0 {
			t.Errorf("%+v", c)
		}
	}
	if len(operations) != 4 {
		t.Errorf("operations %v", operations)
	}
}
