package collision

import (
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestIntervals draws many samples of streams of known statistics: the 95 % intervals must hold the
// truth about as often as they say, those of totals of blocks, whatever targets the sample chooses, of
// two streams, and of hot targets those of streams in which it is clear which they are. The bounds lie
// four standard errors of the draws from 0.95.
func TestIntervals(t *testing.T) {
	hot := inParts(300, func(r *rand.Rand, part, i int) uint32 {
		if part%4 == 0 && i%3 == 0 {
			return 5
		}
		return r.Uint32N(50000)
	})[:300*256]
	chosen := `unique|^all_level|^max_|^hot_|^cover|^misses|^updates|^bins|^warp_size|^block_size`
	for _, c := range []struct {
		name         string
		keys         []uint32
		sample       int
		draws        int
		without      bool // WithoutHot
		of, besides  *regexp.Regexp
		number       int
		least, clear float64 // the share of samples, and the greatest half-width over the truth
	}{
		{"uniform", draw(0, 9, 250*256+100, 3000), 30, 400, true, regexp.MustCompile(``), regexp.MustCompile(chosen),
			len(means) + 1, 0.906, math.Inf(1)},
		{"skewed", draw(3, 9, 250*256+100, 3000), 30, 400, true, regexp.MustCompile(``), regexp.MustCompile(chosen),
			len(means) + 1, 0.906, math.Inf(1)},
		{"one hot target", hot, 60, 200, true, regexp.MustCompile(`^hot_`), regexp.MustCompile(`^$`), 2, 0.88, 0.5},
		{"four hot targets", hotKeys(), 60, 200, false, regexp.MustCompile(`^cover\.[0-2]$|^misses\.[0-2]\.`),
			regexp.MustCompile(`^$`), 3 + 3*missFigures, 0.88, 0.5},
	} {
		exact := analyze(t, c.keys, Options{})
		figures := slices.DeleteFunc(Statistics(), func(d Statistic) bool {
			return !c.of.MatchString(d.Name) || c.besides.MatchString(d.Name)
		})
		hits := map[string]int{}
		for seed := range uint64(c.draws) {
			s := analyze(t, c.keys, Options{Sample: c.sample, Seed: seed, WithoutHot: c.without})
			for _, d := range figures {
				truth, _ := d.Value(&exact)
				estimate, half := d.Value(&s)
				if half > c.clear*truth {
					t.Fatalf("%s, seed=%d: interval of %s %v ± %v says nothing", c.name, seed, d.Name, estimate, half)
				}
				if d.Mean(&s) == nil {
					half += 0.5
				}
				if math.Abs(truth-estimate) <= half {
					hits[d.Name]++
				}
			}
		}
		if len(hits) != c.number {
			t.Errorf("%s: checked %d statistics, want %d", c.name, len(hits), c.number)
		}
		for name, n := range hits {
			if share := float64(n) / float64(c.draws); share < c.least || c.draws == 400 && share > 0.994 {
				t.Errorf("%s: interval of %s covers in %.3f of samples", c.name, name, share)
			}
		}
	}
}

// hotKeys draws a stream in which it is clear which targets are hot: four have decreasing shares,
// the last two of them one slot in every table, and the rest is spread thin.
func hotKeys() []uint32 {
	hot := [4]uint32{70, 4000, 17}
	for hot[3] = 18; largestSlot(hot[3]) != largestSlot(hot[2]); hot[3]++ {
	}
	return inParts(300, func(r *rand.Rand, part, i int) uint32 {
		shares := 0.2 + 0.1*float64(part%4)
		for _, target := range hot {
			if r.Float64() < shares {
				return target
			}
		}
		return r.Uint32()
	})[:300*256]
}

// TestSampledTablesAreWorse: targets that a sample finds cover no more than those of the stream, in
// the mean over samples, and what misses them is no less.
func TestSampledTablesAreWorse(t *testing.T) {
	const draws = 60
	for dist := range streams {
		keys := draw(dist, 9, 300*256+100, 30_000)
		exact := analyze(t, keys, Options{})
		var cover, lanes, off float64
		for seed := range uint64(draws) {
			s := analyze(t, keys, Options{Sample: 16, Seed: seed})
			h := s.Sampled.HalfWidth
			cover, lanes = cover+s.Cover[10]/draws, lanes+s.Misses[3].LanesPerWarp/draws
			off += h.Cover[10] / draws
		}
		// Half-widths are 2.13 standard errors of a sample.
		if slack := 4 * off / 2.13 / math.Sqrt(draws); cover > exact.Cover[10]+slack+1e-9 ||
			lanes < exact.Misses[3].LanesPerWarp-32*slack {
			t.Errorf("dist=%s: %v covered, %v missed per warp; of the stream %v and %v",
				streams[dist].name, cover, lanes, exact.Cover[10], exact.Misses[3].LanesPerWarp)
		}
	}
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
		}
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

// TestSampleDependsOnSeedAlone: whatever the chunks and the workers, the blocks of a sample, and those
// behind the estimates of an exact analysis, are the same.
func TestSampleDependsOnSeedAlone(t *testing.T) {
	keys := hotStreams[0].keys()
	for _, sample := range []int{0, 32} {
		want := analyze(t, keys, Options{Sample: sample, Seed: 3, Workers: 1})
		a, err := NewAccumulator(Options{Sample: sample, Seed: 3, Workers: 3})
		if err != nil {
			t.Fatal(err)
		}
		for chunk := range slices.Chunk(keys, 77777) {
			if err := a.Add(chunk); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, statsOf(t, a)); diff != "" {
			t.Errorf("sample %d, one call against chunks:\n%s", sample, diff)
		}
		if other := analyze(t, keys, Options{Sample: sample, Seed: 4}); other.HotSegments == want.HotSegments {
			t.Errorf("sample %d: another seed gives the same sample", sample)
		}
	}
}
