package h200

import (
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/datasets/recordings/archive/archivetest"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/must"
)

// TestArchive: the archive is without fault, and index and README say what it holds.
func TestArchive(t *testing.T) { archivetest.Run(t, Archive, ".") }

// TestCalls: every call was measured on one start and every reading on two, but for the suite that
// came later, each candidate of a choice in hundreds of calls, each stream in its part.
func TestCalls(t *testing.T) {
	recorded := map[impl.Spec]int{}
	for _, part := range []recordings.Part{recordings.Fit, recordings.HeldOut} {
		for _, c := range must.Get(Archive.Calls(part))(t) {
			if c.Origin != recordings.Measured || c.Starts != archivetest.Starts(c) || recordings.Half(c.Label) != part {
				t.Errorf("%s %s of part %s: %s, %d starts", c.Label, c.Implementation, part, c.Origin, c.Starts)
			}
			recorded[c.Implementation]++
		}
	}
	for _, r := range must.Get(Archive.Readings())(t) {
		want := 2
		if r.Suite == "returns" {
			want = 1
		}
		if r.Starts != want {
			t.Errorf("%s %s %s: %d starts", r.Suite, r.Name, r.Parameters, r.Starts)
		}
	}
	for _, v := range append(impl.Candidates(), impl.Sized()...) {
		least := 180
		switch v.Algorithm {
		case impl.Coordinator: // a GPU with one way to memory has no use for that
			least = 0
		case impl.Partition:
			least = 25
		}
		if v.Scope == impl.BlockScope { // which no model has before it is recorded
			least = 0
		}
		if recorded[v] < least {
			t.Errorf("%s: %d calls", v, recorded[v])
		}
	}
}

// TestLabelsMakeStreams makes short streams of all kinds again and compares their
// statistics with the recorded ones.
func TestLabelsMakeStreams(t *testing.T) {
	streams := must.Get(Archive.Streams())(t)
	made := archivetest.Streams(t, streams, 6, func(label string) bool {
		s := streams[label]
		return strings.Contains(label, ":") && s.Updates <= 1<<19 && s.Bins <= 1<<20
	})
	if made < 10 {
		t.Errorf("%d streams made", made)
	}
}

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
