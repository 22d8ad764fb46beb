package collision

import (
	"math"
	"reflect"
	"strings"
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
			s := analyze(t, keys, Options{Sample: 30, Seed: seed, WithoutHot: true})
			for name, m := range intervals(&exact, &s) {
				if math.Abs(m[0]-m[1]) <= m[2] {
					hits[name]++
				}
			}
		}
		if want := len(means) + 1; len(hits) != want { // and the runs
			t.Errorf("dist=%s: checked %d statistics, want %d", streams[dist].name, len(hits), want)
		}
		for name, n := range hits {
			if share := float64(n) / draws; share < 0.906 || share > 0.994 {
				t.Errorf("dist=%s: interval of %s covers in %.3f of samples", streams[dist].name,
					name, share)
			}
		}
	}
}

// intervals returns truth, estimate and half-width by name, of what is estimated from
// totals of blocks, whatever targets the sample chooses.
func intervals(exact, s *Stats) map[string][3]float64 {
	all := map[string][3]float64{}
	for _, d := range Statistics() {
		if d.Element {
			continue
		}
		truth, _ := d.Value(exact)
		estimate, half := d.Value(s)
		if d.Mean(s) == nil {
			half += 0.5
		}
		all[d.Name] = [3]float64{truth, estimate, half}
	}
	for _, name := range []string{"updates", "bins", "unique", "warp_size", "block_size",
		"all_level",
		"max_frequency", "max_chunk_frequency_4", "max_chunk_frequency_8", "hot_warps", "hot_segments"} {
		delete(all, name)
	}
	return all
}

// TestStatistics: each description has a value and a meaning, and each half-width that of
// a statistic, under the same JSON name.
func TestStatistics(t *testing.T) {
	s := analyze(t, draw(3, 2, 5000, 300), Options{Sample: 8})
	names := map[string]string{}
	for _, d := range Statistics() {
		names[strings.Join(d.path, ".")] = d.Name
		if value, _ := d.Value(&s); value == 0 && !d.Element || d.Meaning == "" {
			t.Errorf("%s: %v, %q", d.Name, value, d.Meaning)
		}
	}
	widths := 0
	for _, d := range (Statistic{}).numbers(reflect.TypeFor[HalfWidths]()) {
		path, name := strings.Join(d.path, "."), strings.TrimPrefix(d.Name, ".")
		if names[path] != name {
			t.Errorf("half-width of %s named %s, the statistic is named %q", path, name, names[path])
		}
		widths++
	}
	if want := 17 + len(Cover{}) + 6*Tables; widths != want {
		t.Errorf("%d half-widths, want %d", widths, want)
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
			if c.UniqueLow > exact.Unique || c.UniqueHigh < exact.Unique ||
				s.Unique < c.UniqueLow || s.Unique > c.UniqueHigh {
				t.Errorf("dist=%s k=%d: unique %d, estimate %d within [%d, %d]",
					streams[dist].name, k, exact.Unique, s.Unique, c.UniqueLow, c.UniqueHigh)
			}
			if c.MaxFrequencyLow > exact.MaxFrequency ||
				c.MaxChunkFrequency4Low > exact.MaxChunkFrequency4 ||
				c.MaxChunkFrequency8Low > exact.MaxChunkFrequency8 {
				t.Errorf("dist=%s k=%d: a lower bound of a highest frequency is too high: %+v",
					streams[dist].name, k, c)
			}
			if name := streams[dist].name; name == "uniform" || name == "sorted" {
				if ratio := float64(s.Unique) / float64(exact.Unique); ratio < 0.85 ||
					ratio > 1.15 {
					t.Errorf("dist=%s k=%d: unique %d, estimate %d", name, k, exact.Unique,
						s.Unique)
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
	if half := s.Sampled.HalfWidth.MaxFrequency; err > 2*half ||
		half > 0.02*float64(exact.MaxFrequency) {
		t.Errorf("highest frequency %d, estimate %d ± %.0f", exact.MaxFrequency, s.MaxFrequency,
			half)
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
