package h200

import (
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/datasets/recordings/archive/archivetest"
	"github.com/atomtune/atomtune/device"
)

// TestSets: the sets have as many calls and streams as the README says, all measured, and their
// shorter streams the statistics that were recorded; the second validation set and the fresh one
// judge. No time is looked at.
func TestSets(t *testing.T) {
	want := map[archive.Set]struct{ streams, calls, kinds int }{
		Second: {120, 8626, 7}, Fresh: {169, 35289, 7}, Misses: {81, 3426, 7},
		Hotspots: {72, 3024, 7}, Drawn: {320, 22982, 7}, Beyond: {5, 140, 6}, Kept: {60, 1558, 7},
	}
	sets, err := Archive.Sets()
	if err != nil || len(sets) != len(want) {
		t.Fatalf("%d sets, %v", len(sets), err)
	}
	if judging := Archive.Judging(); !slices.Equal(judging, []archive.Set{Second, Fresh}) {
		t.Errorf("judged by %v", judging)
	}
	made := 0
	for _, s := range sets {
		calls, err := s.Calls()
		if err != nil {
			t.Fatal(err)
		}
		streams, err := s.Streams()
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[device.Call]bool{}
		for _, c := range calls {
			if c.Origin != recordings.Measured {
				t.Errorf("%s: %s %s: %s", s.Name(), c.Label, c.Implementation, c.Origin)
			}
			kinds[c.Call] = true
		}
		w := want[s]
		if len(streams) != w.streams || len(calls) != w.calls || len(kinds) != w.kinds {
			t.Errorf("%s: %d streams, %d calls of %d kinds", s.Name(), len(streams), len(calls),
				len(kinds))
		}
		made += archivetest.Streams(t, streams, 2, func(label string) bool {
			return strings.Contains(label, ":") && streams[label].Updates <= 600_000
		})
	}
	if made < 50 {
		t.Errorf("only %d streams were compared", made)
	}
}
