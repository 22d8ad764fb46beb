package collision_test

import (
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/collision"
)

// TestHotTargets: the number of targets as hot as the hottest comes out of the
// statistics of streams in which it is known.
func TestHotTargets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const bins = 1 << 20
	hot := func(targets int, share float64) func(int) uint32 {
		return func(int) uint32 {
			if random.Float64() < share {
				return uint32(random.IntN(targets)) * 1000
			}
			return random.Uint32N(bins)
		}
	}
	for name, c := range map[string]struct {
		next func(i int) uint32
		want float64
	}{
		"one":      {hot(1, 0.4), 1},
		"sixteen":  {hot(16, 0.4), 16},
		"many":     {hot(64, 0.8), 64},
		"all":      {func(int) uint32 { return random.Uint32N(8) }, 8},
		"constant": {func(int) uint32 { return 7 }, 1},
		"counting": {func(i int) uint32 { return uint32(i % 1000) }, 1},
		"sorted":   {func(i int) uint32 { return uint32(i / 256) }, 1024},
	} {
		indices := make([]uint32, 1<<18)
		for i := range indices {
			indices[i] = c.next(i)
		}
		s, err := collision.Analyze(indices, collision.Options{Bins: bins})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.HotTargets(32); !(got >= 0.8*c.want && got <= 1.25*c.want) {
			t.Errorf("%s: %.3f targets, want %v", name, got, c.want)
		}
		known := s.HotWarps
		if s.HotWarps = 0; s.HotTargets(32) != 1 {
			t.Errorf("%s, hot warps not known: %v targets", name, s.HotTargets(32))
		}
		s.HotWarps, s.DistinctPerWarp = known, 32
		if got := s.HotTargets(32); got != 1 {
			t.Errorf("%s without repeats: %v targets", name, got)
		}
	}
}
