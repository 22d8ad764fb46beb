package archivetest

import (
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
)

// Starts is the number of starts on which a call of calls.csv.gz was recorded: one of partition and
// of old values from copies, which came last, and two of others.
func Starts(c recordings.Call) int {
	if v := c.Implementation; v.Width > 0 || c.Call.Returns && !v.AddsAtTargets() {
		return 1
	}
	return 2
}

// apart is how far the starts may lie apart in the median, over readings and over calls.
const readingsApart, callsApart = 0.03, 0.06

// noise demands that several starts agree in the median within 3 % over readings, and within 6 % over
// calls, the short ones of which hang on the host.
func noise(t testing.TB, a *archive.Archive, _ string) {
	var readings, calls []float64
	for _, c := range bothParts(t, a) {
		if c.Origin == recordings.Measured && c.Starts > 1 {
			calls = append(calls, c.StartSpread)
		}
	}
	list, err := a.Readings()
	if !lacks(t, err) {
		for _, r := range list {
			if r.Starts > 1 && r.Repeats > r.Starts { // not what a start reads once: attributes and counters
				readings = append(readings, r.StartSpread)
			}
		}
	}
	for _, of := range []struct {
		what  string
		apart []float64
		limit float64
	}{{"readings", readings, readingsApart}, {"calls", calls, callsApart}} {
		slices.Sort(of.apart)
		if n := len(of.apart); n > 0 && of.apart[n/2] > of.limit {
			t.Errorf("%s: the starts lie %.1f %% apart in the median", of.what, 100*of.apart[n/2])
		}
	}
}
