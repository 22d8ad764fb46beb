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

// TestPaddedLong: of more blocks than an exact analysis keeps, what it estimates is near the truth,
// and all else exact.
func TestPaddedLong(t *testing.T) {
	const n = 1200*256 + 40
	for _, dist := range []int{3} {
		keys := draw(dist, 11, n, 3000)
		pad(5, keys, 4, false)
		want := padded(keys, isInactive, 32, 256, 3000)
		got := analyze(t, keys, Options{Padded: true, Bins: 3000})
		for name, of := range map[string]func(s *Stats) float64{
			"hot_warps":    func(s *Stats) float64 { return s.HotWarps },
			"hot_segments": func(s *Stats) float64 { return s.HotSegments },
			"misses":       func(s *Stats) float64 { return 1 + s.Misses[0].Distinct },
		} {
			if w, g := of(&want), of(&got); g < 0.95*w || g > 1.05*w {
				t.Errorf("dist=%s: %s %v, want about %v", streams[dist].name, name, g, w)
			}
		}
		for i := range want.Misses {
			if diff := cmp.Diff(want.Misses[i].Lanes, got.Misses[i].Lanes, near); diff != "" {
				t.Errorf("dist=%s: updates that miss table %d:\n%s", streams[dist].name, i, diff)
			}
		}
		want.HotWarps, want.HotSegments, want.Misses = got.HotWarps, got.HotSegments, got.Misses
		if diff := cmp.Diff(want, got, near); diff != "" {
			t.Errorf("dist=%s (-reference +got):\n%s", streams[dist].name, diff)
		}
		if err := got.Check(); err != nil {
			t.Error(err)
		}
	}
}
