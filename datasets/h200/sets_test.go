package h200

import (
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/datasets/recordings/archive/archivetest"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/must"
)

// TestSets: the calls of the sets are all measured, of all kinds, and their shorter streams have the
// statistics that were recorded; the second validation set and the fresh one judge. No time is looked at.
func TestSets(t *testing.T) {
	sets, err := Archive.Sets()
	if err != nil || len(sets) < 7 {
		t.Fatalf("%d sets, %v", len(sets), err)
	}
	if judging := Archive.Judging(); !slices.Equal(judging, []archive.Set{Second, Fresh}) {
		t.Errorf("judged by %v", judging)
	}
	made := 0
	for _, s := range sets {
		calls := must.Get(s.Calls())(t)
		streams := must.Get(s.Streams())(t)
		kinds := map[device.Call]bool{}
		for _, c := range calls {
			if c.Origin != recordings.Measured {
				t.Errorf("%s: %s %s: %s", s.Name(), c.Label, c.Implementation, c.Origin)
			}
			kinds[c.Call] = true
		}
		if len(streams) == 0 || len(kinds) < 6 {
			t.Errorf("%s: %d streams, %d calls of %d kinds", s.Name(), len(streams), len(calls), len(kinds))
		}
		made += archivetest.Streams(t, streams, 5, func(label string) bool {
			return strings.Contains(label, ":") && streams[label].Updates <= 600_000
		})
	}
	if made < 20 {
		t.Errorf("only %d streams were compared", made)
	}
}
