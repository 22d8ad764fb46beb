package speed

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/device"
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
