package collision

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestSampleOfEverything: a sample as large as the stream is exact.
func TestSampleOfEverything(t *testing.T) {
	for dist := range streams {
		keys := draw(dist, 5, 30*256+45, 5000)
		want := analyze(t, keys, Options{})
		got := analyze(t, keys, Options{Sample: 64})
		if diff := cmp.Diff(want, got, near, cmpopts.IgnoreFields(Stats{}, "Sampled")); diff != "" {
			t.Errorf("dist=%s:\n%s", streams[dist].name, diff)
		}
		wantSampled := &Sampling{
			Blocks: 30, TotalBlocks: 30, Warps: 242, Updates: want.Updates, Confidence: 0.95,
			UniqueLow: want.Unique, UniqueHigh: want.Unique, MaxFrequencyLow: want.MaxFrequency,
			MaxChunkFrequency4Low: want.MaxChunkFrequency4, MaxChunkFrequency8Low: want.MaxChunkFrequency8,
		}
		if diff := cmp.Diff(wantSampled, got.Sampled); diff != "" {
			t.Errorf("dist=%s:\n%s", streams[dist].name, diff)
		}
	}
}

// TestIntervalCoverage draws many samples of streams of known statistics: the
// 95 % intervals must hold the truth about as often as they say. The bounds
// lie four standard errors of 400 draws from 0.95.
func TestIntervalCoverage(t *testing.T) {
	const draws, blocks = 400, 250
	for _, dist := range []int{0, 3} {
		keys := draw(dist, 9, blocks*256+100, 3000)
		exact := analyze(t, keys, Options{})
		hits := map[string]int{}
		for seed := range uint64(draws) {
			s := analyze(t, keys, Options{Sample: 30, Seed: seed})
			for name, m := range intervals(&exact, &s) {
				if math.Abs(m[0]-m[1]) <= m[2] {
					hits[name]++
				}
			}
		}
		if len(hits) != 12 {
			t.Errorf("dist=%s: checked %d statistics, want 12", streams[dist].name, len(hits))
		}
		for name, n := range hits {
			if share := float64(n) / draws; share < 0.906 || share > 0.994 {
				t.Errorf("dist=%s: interval of %s covers in %.3f of samples", streams[dist].name, name, share)
			}
		}
	}
}

// intervals returns truth, estimate and half-width by name.
func intervals(exact, s *Stats) map[string][3]float64 {
	h := s.Sampled.HalfWidth
	return map[string][3]float64{
		"warp_level":             {exact.WarpLevel, s.WarpLevel, h.WarpLevel},
		"block_level":            {exact.BlockLevel, s.BlockLevel, h.BlockLevel},
		"distinct_per_warp":      {exact.DistinctPerWarp, s.DistinctPerWarp, h.DistinctPerWarp},
		"distinct_per_block":     {exact.DistinctPerBlock, s.DistinctPerBlock, h.DistinctPerBlock},
		"clustered_fraction":     {exact.ClusteredFraction, s.ClusteredFraction, h.ClusteredFraction},
		"runs":                   {float64(exact.Runs), float64(s.Runs), h.Runs + 0.5},
		"sectors_per_warp_4":     {exact.Sectors4, s.Sectors4, h.Sectors4},
		"sectors_per_warp_8":     {exact.Sectors8, s.Sectors8, h.Sectors8},
		"sector_passes_per_warp": {exact.SectorPasses4, s.SectorPasses4, h.SectorPasses4},
		"sector_passes_8":        {exact.SectorPasses8, s.SectorPasses8, h.SectorPasses8},
		"bank_degree":            {exact.BankDegree, s.BankDegree, h.BankDegree},
		"bank_lanes":             {exact.BankLanes, s.BankLanes, h.BankLanes},
	}
}

// TestSampledCounts checks bounds always, and estimates where the documented
// estimator is known to be good: targets of equal frequency, spread or grouped.
func TestSampledCounts(t *testing.T) {
	const n = 1 << 18
	checked := 0
	for dist := range streams {
		for _, k := range []uint64{100, 20000, 1 << 17} {
			keys := draw(dist, 11, n, k)
			exact := analyze(t, keys, Options{Bins: k})
			s := analyze(t, keys, Options{Bins: k, Sample: 200, Seed: 1})
			c := s.Sampled
			if c.UniqueLow > exact.Unique || c.UniqueHigh < exact.Unique || s.Unique < c.UniqueLow || s.Unique > c.UniqueHigh {
				t.Errorf("dist=%s k=%d: unique %d, estimate %d within [%d, %d]",
					streams[dist].name, k, exact.Unique, s.Unique, c.UniqueLow, c.UniqueHigh)
			}
			if c.MaxFrequencyLow > exact.MaxFrequency || c.MaxChunkFrequency4Low > exact.MaxChunkFrequency4 ||
				c.MaxChunkFrequency8Low > exact.MaxChunkFrequency8 {
				t.Errorf("dist=%s k=%d: a lower bound of a highest frequency is too high: %+v", streams[dist].name, k, c)
			}
			if name := streams[dist].name; name == "uniform" || name == "sorted" {
				if ratio := float64(s.Unique) / float64(exact.Unique); ratio < 0.85 || ratio > 1.15 {
					t.Errorf("dist=%s k=%d: unique %d, estimate %d", name, k, exact.Unique, s.Unique)
				}
			}
			checked++
		}
	}
	if want := 3 * len(streams); checked != want {
		t.Errorf("checked %d streams, want %d", checked, want)
	}
}

// TestHotTarget finds the frequency of one target that gets a tenth of all
// updates.
func TestHotTarget(t *testing.T) {
	keys := draw(0, 13, 1<<20, 1<<16)
	for i := 0; i < len(keys); i += 10 {
		keys[i] = 4711
	}
	exact := analyze(t, keys, Options{})
	s := analyze(t, keys, Options{Sample: 256, Seed: 7})
	err := math.Abs(float64(s.MaxFrequency) - float64(exact.MaxFrequency))
	if half := s.Sampled.HalfWidth.MaxFrequency; err > 2*half || half > 0.02*float64(exact.MaxFrequency) {
		t.Errorf("highest frequency %d, estimate %d ± %.0f", exact.MaxFrequency, s.MaxFrequency, half)
	}
}

func TestSampleDependsOnSeedAlone(t *testing.T) {
	keys := draw(0, 15, 1<<18, 1<<12)
	a := analyze(t, keys, Options{Sample: 32, Seed: 1, Workers: 1})
	if diff := cmp.Diff(a, analyze(t, keys, Options{Sample: 32, Seed: 1, Workers: 4})); diff != "" {
		t.Errorf("the number of workers changes a sample:\n%s", diff)
	}
	if b := analyze(t, keys, Options{Sample: 32, Seed: 2}); cmp.Equal(a.WarpLevel, b.WarpLevel) {
		t.Error("another seed gives the same sample")
	}
}
