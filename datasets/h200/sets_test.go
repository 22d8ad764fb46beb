package h200

import (
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/synth"
)

// TestSets: what shaped the closed forms beside the fit half is complete and correct, on
// streams that neither the other recordings nor the second validation set have, and of those that
// its
// specs.txt lists.
func TestSets(t *testing.T) {
	known, err := Streams()
	if err != nil {
		t.Fatal(err)
	}
	judging, err := Second.Streams()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set            Set
		listed         bool
		number, callsN int
	}{
		{Misses, true, 81, 3426},
		{Hotspots, true, 72, 3024},
		{Drawn, false, 320, 22982},
	} {
		calls, err := c.set.Calls()
		if err != nil {
			t.Fatal(err)
		}
		streams, err := c.set.Streams()
		if err != nil {
			t.Fatal(err)
		}
		listed := map[string]bool{}
		if c.listed {
			listed = listOf(t, c.set)
		}
		for label := range streams {
			_, old := known[label]
			_, second := judging[label]
			if old || second || listed[label] != c.listed {
				t.Errorf("%s: %s: listed %v, among the other recordings %v, in the second validation set %v",
					c.set, label, listed[label], old, second)
			}
		}
		for _, r := range calls {
			s, ok := streams[r.Label]
			if !ok || s.Updates != r.Updates || s.Bins != r.Bins || !r.Correct ||
				r.Origin != recordings.Measured {
				t.Errorf("%s: %s %s: statistics %v, correct %v, %s", c.set, r.Label,
					r.Implementation, ok, r.Correct, r.Origin)
			}
		}
		if len(streams) != c.number || len(calls) != c.callsN || c.listed &&
			len(listed) != c.number {
			t.Errorf("%s: %d streams, %d calls, %d listed", c.set, len(streams), len(calls),
				len(listed))
		}
	}
}

// listOf returns the labels of a set's specs.txt.
func listOf(t *testing.T, s Set) map[string]bool {
	t.Helper()
	specs, err := s.file("specs.txt")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(specs)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		spec, err := synth.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		listed[spec.String()] = true
	}
	return listed
}
