package tuner_test

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
)

// TestPreparation: what is prepared once is the same for all numbers of calls, and each has an equal part of it.
func TestPreparation(t *testing.T) {
	told, onHost := 0, 0
	for i, s := range tunertest.Streams(t) {
		for _, name := range []string{"h200", "gtx680"} {
			d, o := tunertest.Profile(t, name), tuner.Options{Call: tunertest.Calls()[i%12], Relaid: i%4 == 0}
			once := rowsOf(t, d, s, o)
			for _, o.Calls = range []int{1, 2, 7, 1e6} {
				for v, r := range rowsOf(t, d, s, o) {
					kernels := once[v].PredictedUS - once[v].PreparationUS
					if want := kernels + r.PreparationUS/float64(o.Calls); math.Abs(r.PredictedUS/want-1) > 1e-12 ||
						math.Abs(r.PreparationUS-once[v].PreparationUS) > 1e-12*r.PreparationUS {
						t.Errorf("%s, %s, %d calls: %+v, want %v us; once %+v", name, v, o.Calls, r, want, once[v])
					}
					if prepares := v.NeedsTargets() || v.OnHost() && !o.Relaid; prepares != (r.PreparationUS > 0) {
						t.Errorf("%s, %s: %v us beforehand", name, v, r.PreparationUS)
					}
					if v.NeedsTargets() {
						told++
					} else if r.PreparationUS > 0 {
						onHost++
					}
				}
			}
		}
	}
	if told < 100 || onHost < 100 {
		t.Errorf("%d tables and %d re-layouts", told, onHost)
	}
}

var again = regexp.MustCompile(`From (\d+) calls .* on, (\S+) is faster`)

// TestAgain: where the answer says from how many calls on something that is prepared pays, a choice for so many takes
// it or is tied with it, and one for fewer calls takes no table.
func TestAgain(t *testing.T) {
	tables, list := 0, tunertest.Streams(t)
	for _, spec := range []string{"hotspot:n=1048576,k=1000000,h=1,p=0.5", "zipf:n=1048576,k=1048576,s=1.2,shuffle=1",
		"hotspot:n=1048576,k=500000,h=64,p=0.9", "zipf:n=262144,k=1048576,s=1.5"} {
		list = append(list, slices.Repeat([]*collision.Stats{tunertest.Analyze(t, spec)}, 6)...)
	}
	for i, s := range list {
		for _, name := range []string{"h200", "h100", "gtx980"} {
			d, o := tunertest.Profile(t, name), tuner.Options{Call: device.Call{Type: device.Types()[i%6]}}
			said := again.FindStringSubmatch(choose(t, s, d, o).Reason)
			if said == nil {
				continue
			}
			calls, err := strconv.Atoi(said[1])
			tunertest.Must(t, err)
			v, err := impl.Parse(said[2])
			tunertest.Must(t, err)
			o.Calls = calls
			got := choose(t, s, d, o)
			tied := append(got.Ties, got.Choice.Implementation)
			if !slices.Contains(tied, v) || again.MatchString(got.Reason) {
				t.Errorf("%s, stream %d: %s from %d calls on, but %v are chosen or tied: %s", name, i, v, calls, tied, got.Reason)
			}
			if o.Calls = calls - 1; choose(t, s, d, o).Choice.Implementation.NeedsTargets() {
				t.Errorf("%s, stream %d: a table pays from %d calls on", name, i, o.Calls)
			}
			if v.NeedsTargets() {
				tables++
			}
		}
	}
	if tables < 10 {
		t.Errorf("%d answers name a table", tables)
	}
}
