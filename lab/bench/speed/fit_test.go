package speed

import (
	"testing"

	"github.com/atomtune/atomtune/datasets/h100"
)

// TestFitInput: the runs that are fitted have readings and all columns of patterns.
func TestFitInput(t *testing.T) {
	quick, err := h100.Archive.Quick()
	if err != nil {
		t.Fatal(err)
	}
	few, err := fitInput(quick)
	if err != nil {
		t.Fatal(err)
	}
	all, err := fitInput(h100.Archive)
	if err != nil {
		t.Fatal(err)
	}
	if len(few.Readings) < 1000 || len(all.Readings) < 2*len(few.Readings) {
		t.Errorf("%d readings of the quick run, %d of the full one", len(few.Readings), len(all.Readings))
	}
	if len(few.Scratchpad.Columns) != 17 || len(few.Instructions) != 17 || len(all.Scratchpad.Columns) != 17 {
		t.Errorf("%d and %d columns, want 17", len(few.Scratchpad.Columns), len(all.Scratchpad.Columns))
	}
}
