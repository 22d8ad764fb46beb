package speed

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/inspect"
	"github.com/atomtune/atomtune/tuner"
)

// TestLongFiles: the files are what the cases say, and both ways choose for them.
func TestLongFiles(t *testing.T) {
	d, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	const updates = 1 << 18
	for _, s := range longStreams {
		path := filepath.Join(t.TempDir(), s.name+".u32")
		if err := writeLong(path, updates, s.target); err != nil {
			t.Fatal(err)
		}
		indices, bins, err := datasets.ReadAll(path, datasets.Options{})
		if err != nil || len(indices) != updates || bins <= longTargets*9/10 || bins > longTargets ||
			slices.IsSorted(indices) != (s.name == "sorted") {
			t.Errorf("%s: %d updates of %d targets, %v", s.name, len(indices), bins, err)
		}
		for _, choose := range []func(string, *device.Profile, tuner.Options) error{chooseLong, chooseAll} {
			if err := choose(path, d, tuner.Options{}); err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
			if err := choose(path+"none", d, tuner.Options{}); err == nil {
				t.Errorf("%s: a file that is not there was read", s.name)
			}
		}
	}
}

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

// TestReplayAkita: every event is handled, those that others schedule too.
func TestReplayAkita(t *testing.T) {
	s := &inspect.Schedule{Counts: []int32{2, 0, 1, 2, 0, 0}, At: []int64{9, 4, 9, 12, 11}}
	events, cycles, err := replayAkita(s)
	if err != nil || events != 5 || cycles != 9+4+9+12+11 {
		t.Errorf("%d events, %d cycles in all, %v", events, cycles, err)
	}
}
