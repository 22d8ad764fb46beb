package simtimes

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

// failures counts what a test that is under test reports.
type failures struct {
	testing.TB
	count int
}

func (f *failures) Helper()               {}
func (f *failures) Errorf(string, ...any) { f.count++ }

// TestTimes: times come back to the bit, one run of each group is left out, and
// another time, a run more and a run less are reported.
func TestTimes(t *testing.T) {
	t.Setenv("ATOMTUNE_FULL", "")
	t.Setenv("ATOMTUNE_UPDATE_GOLDEN", "")
	path := filepath.Join(t.TempDir(), "times.csv")
	runs := map[string]float64{"a, 1": 1.0 / 3, "a, 2": 2e-300, "b, 1": 3, "b, 2": 4.5, "b, 3": 5}
	write(t, path, runs)
	s := Read(t, path)
	if !maps.Equal(s.us, runs) {
		t.Errorf("%v come back as %v", runs, s.us)
	}
	held := s.Held(func(name string) string { return strings.Split(name, ",")[0] })
	groups := map[byte]int{}
	for name := range held {
		groups[name[0]]++
	}
	if !maps.Equal(groups, map[byte]int{'a': 1, 'b': 2}) {
		t.Errorf("held %v", held)
	}
	s.Compare(t, runs)
	for name, c := range map[string]struct {
		change func(map[string]float64)
		want   int
	}{
		"another time": {func(r map[string]float64) { r["b, 1"]++ }, 1},
		"a run more":   {func(r map[string]float64) { r["c"] = 1 }, 2},
		"a run less":   {func(r map[string]float64) { delete(r, "b, 3") }, 1},
	} {
		other := maps.Clone(runs)
		c.change(other)
		f := &failures{TB: t}
		if s.Compare(f, other); f.count != c.want {
			t.Errorf("%s: %d failures, want %d", name, f.count, c.want)
		}
	}
	t.Setenv("ATOMTUNE_FULL", "1")
	full := Read(t, path)
	if len(full.Held(strings.ToUpper)) != 0 {
		t.Error("times are taken from the file where all runs are simulated")
	}
	f := &failures{TB: t}
	if full.Compare(f, map[string]float64{}); f.count != 1 {
		t.Errorf("all runs simulated: %d failures", f.count)
	}
}
