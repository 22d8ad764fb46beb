package collision

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPaddedSamples: a sample of all blocks is exact, a smaller one estimates how much is padding,
// and an accumulator knows.
func TestPaddedSamples(t *testing.T) {
	for dist := range streams {
		keys := draw(dist, 6, 400*256+33, 5000)
		pad(uint64(dist), keys, 3, false)
		want := analyze(t, keys, Options{Padded: true, Bins: 5000})
		all, err := sampler(t, Options{Padded: true}).Measure(keys, 5000, 400)
		if err != nil {
			t.Fatal(err)
		}
		all.Sampled = nil
		if diff := cmp.Diff(want, all, near); diff != "" {
			t.Errorf("dist=%s: all blocks (-exact +sample):\n%s", streams[dist].name, diff)
		}
		part, err := sampler(t, Options{Padded: true}).Measure(keys, 5000, 64)
		if err != nil {
			t.Fatal(err)
		}
		if part.Positions() != want.Positions() || part.Ignored < want.Ignored*9/10 ||
			part.Ignored > want.Ignored*11/10 || part.Sampled.Updates >= 65*256 {
			t.Errorf("dist=%s: %d ignored of %d, in a sample of %d updates; exactly %d",
				streams[dist].name, part.Ignored, part.Positions(), part.Sampled.Updates, want.Ignored)
		}
		if err := part.Check(); err != nil {
			t.Errorf("dist=%s: %v", streams[dist].name, err)
		}
		counted := analyze(t, keys, Options{Padded: true, Bins: 5000, Sample: 64})
		if counted.Ignored != want.Ignored || counted.Updates != want.Updates {
			t.Errorf("dist=%s: %d ignored, want %d", streams[dist].name, counted.Ignored, want.Ignored)
		}
		off := counted.DistinctPerWarp - want.DistinctPerWarp
		if half := counted.Sampled.HalfWidth.DistinctPerWarp; off > 3*half+1e-9 || off < -3*half-1e-9 {
			t.Errorf("dist=%s: different targets of a warp are off by %v, half-width %v",
				streams[dist].name, off, half)
		}
	}
}
