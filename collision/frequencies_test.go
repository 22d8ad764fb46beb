package collision

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestFrequencies compares with a map, in the middle of a stream too; more can be added after it.
func TestFrequencies(t *testing.T) {
	checked := 0
	rapid.Check(t, func(t *rapid.T) {
		keys, opt := drawStream(t, 5000)
		opt.Sample = 0
		half := rapid.IntRange(0, len(keys)).Draw(t, "half")
		a := accumulate(t, keys[:half], opt)
		a.Frequencies()
		if err := a.Add(keys[half:]); err != nil {
			t.Fatal(err)
		}
		targets := map[uint64]uint64{}
		for n := range maps.Values(frequencies(keys, 0)) {
			targets[n]++
		}
		var want []Frequency
		for _, n := range slices.Backward(slices.Sorted(maps.Keys(targets))) {
			want = append(want, Frequency{n, targets[n]})
		}
		if diff := cmp.Diff(want, a.Frequencies()); diff != "" {
			t.Fatal(diff)
		}
		if again := statsOf(t, a); again.Unique == 0 || again.MaxFrequency != want[0].Updates {
			t.Fatalf("after that %d targets, the highest frequency %d", again.Unique, again.MaxFrequency)
		}
		checked++
	})
	if checked < 10 {
		t.Errorf("checked %d streams", checked)
	}
}

// TestFrequenciesOfSamples: those of a sample are not known, and an empty stream has none.
func TestFrequenciesOfSamples(t *testing.T) {
	for sample, want := range map[int]bool{0: true, minSample: false} {
		a, err := NewAccumulator(Options{Sample: sample})
		if err != nil {
			t.Fatal(err)
		}
		if list := a.Frequencies(); (list != nil) != want || len(list) != 0 {
			t.Errorf("sample %d: %v", sample, list)
		}
	}
}
