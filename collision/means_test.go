package collision

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

// TestCheck: statistics that no stream has are refused, by the name of the field, and no field of
// Stats is left out.
func TestCheck(t *testing.T) {
	good := analyze(t, draw(3, 1, 10_000, 5000), Options{})
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	refused := func(s Stats, want string) {
		t.Helper()
		if err := s.Check(); !errors.Is(err, ErrStats) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one of %q", err, want)
		}
	}
	with := func(change func(s *Stats)) Stats {
		s := good
		change(&s)
		return s
	}
	refused(with(func(s *Stats) { s.Updates = 0 }), "0")
	refused(with(func(s *Stats) { s.Unique = 10_001 }), "10001")
	refused(with(func(s *Stats) { s.WarpSize = 0 }), "0")
	refused(with(func(s *Stats) { s.BlockSize = 0 }), "0")
	refused(with(func(s *Stats) { s.MaxFrequency = 10_001 }), "max_frequency")
	refused(with(func(s *Stats) { s.MaxFrequency = 0 }), "max_frequency")
	refused(with(func(s *Stats) { s.MaxChunkFrequency4 = 10_001 }), "max_chunk_frequency_4")
	refused(with(func(s *Stats) { s.MaxChunkFrequency8 = 10_001 }), "max_chunk_frequency_8")
	refused(with(func(s *Stats) { s.WarpLevel = 1.01 }), "warp_level")
	refused(with(func(s *Stats) { s.BlockLevel = 2 }), "block_level")
	refused(with(func(s *Stats) { s.BlockLevel = 0 }), "block_level")
	refused(with(func(s *Stats) { s.SectorsPerWarp8 = 33 }), "sectors_per_warp_8")
	refused(with(func(s *Stats) { s.ClusteredFraction = 1.5 }), "clustered_fraction")
	refused(with(func(s *Stats) { s.HotWarps = 1.5 }), "hot_warps")
	refused(with(func(s *Stats) { s.HotSegments = 17 }), "hot_segments")
	refused(with(func(s *Stats) { s.Cover[0] = 0 }), "cover.0")
	refused(with(func(s *Stats) { s.Cover[0] = 0.01 }), "cover.0")
	refused(with(func(s *Stats) { s.Cover[16] = 1.5 }), "cover.16")
	refused(with(func(s *Stats) { s.Cover[9] = s.Cover[8] * 0.99 }), "cover.9")
	refused(with(func(s *Stats) { s.Misses[0] = Miss{} }), "misses.0.lanes_per_warp")
	refused(with(func(s *Stats) { s.Misses[5].LanesPerWarp = s.Misses[4].LanesPerWarp * 1.01 }), "misses.5.lanes_per_warp")
	refused(with(func(s *Stats) { s.Misses[2].DistinctPerWarp = s.Misses[2].LanesPerWarp + 1 }), "misses.2.distinct_per_warp")
	refused(with(func(s *Stats) { s.Misses[1].MaxFrequency = s.MaxFrequency + 1 }), "misses.1.max_frequency")
	refused(with(func(s *Stats) { s.Misses[3].HighestPerWarp = 0 }), "misses.3.highest_per_warp")
	checked := 0
	for _, d := range Statistics() {
		for _, wrong := range []float64{math.NaN(), math.Inf(1), -1} {
			s := good
			if mean := d.Mean(&s); mean != nil {
				*mean = wrong
				refused(s, d.Name)
				checked++
			}
		}
	}
	// all_level and the hot ones beside the means
	if want := 3 * (len(means) + 3 + len(Cover{}) + missUpdates*Tables); checked != want {
		t.Errorf("%d checks, want %d", checked, want)
	}
	good.HotWarps, good.HotSegments = 0, 0 // not known
	good.Cover, good.Misses = Cover{}, Misses{}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
}

// TestShifted: every mean but one without a direction moves within its bounds, all of them
// towards more collisions or all towards fewer.
func TestShifted(t *testing.T) {
	shifted(t, draw(3, 1, 200*256, 5000))
	apart := draw(0, 1, 200*256, 5000) // of which the hottest target has several segments in some warps
	for i := range apart {
		if i%2 == 0 && i/32*(i/32)%5 == 1 {
			apart[i] = 7
		}
	}
	shifted(t, apart)
}

func shifted(t *testing.T, keys []uint32) {
	t.Helper()
	s := analyze(t, keys, Options{Sample: 8})
	for _, by := range []float64{-1000, -0.5, 0.5, 1000} {
		to := s.Shifted(by)
		if err := to.Check(); err != nil {
			t.Errorf("by %v: %v", by, err)
		}
		for _, m := range means {
			off := *m.of(&to) - *m.of(&s)
			half := reflect.ValueOf(s.Sampled.HalfWidth).Field(m.half).Float()
			if want := m.more * by * half; off*want < 0 || math.Abs(by) < 1 && math.Abs(off-want) > 1e-12 {
				t.Errorf("%s moves by %v, want %v", m.name, off, want)
			}
		}
		half := &s.Sampled.HalfWidth
		for name, c := range map[string][3]float64{ // before, after, half-width
			"max_frequency":         {float64(s.MaxFrequency), float64(to.MaxFrequency), half.MaxFrequency},
			"max_chunk_frequency_8": {float64(s.MaxChunkFrequency8), float64(to.MaxChunkFrequency8), half.MaxChunkFrequency8},
			"max_chunk_frequency_4": {float64(s.MaxChunkFrequency4), float64(to.MaxChunkFrequency4), half.MaxChunkFrequency4},
			"hot_warps":             {s.HotWarps, to.HotWarps, half.HotWarps},
			"hot_segments":          {s.HotSegments, to.HotSegments, half.HotSegments},
		} {
			off, rounding := c[1]-c[0]-by*c[2], 0.5
			if c[0] < 1 {
				rounding = 1e-12
			}
			if !(c[0] > 0 && c[2] > 0) || math.Abs(by) < 1 && math.Abs(off) > rounding {
				t.Errorf("by %v: %s moves from %v to %v of half-width %v", by, name, c[0], c[1], c[2])
			}
		}
		if more := by > 0; math.Abs(by) < 1 && (to.Cover[4] > s.Cover[4] != more ||
			to.Misses[0].LanesPerWarp < s.Misses[0].LanesPerWarp != more ||
			to.Misses[0].MaxFrequency > s.Misses[0].MaxFrequency != more) {
			t.Errorf("by %v: cover and misses move to %v and %+v", by, to.Cover, to.Misses)
		}
	}
}
