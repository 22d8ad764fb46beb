package collision

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/atomtune/atomtune/internal/strictjson"
)

// TestTablesJSON: statistics come back as they were, those without Cover and Misses too, and arrays
// of another length and unknown keys are refused.
func TestTablesJSON(t *testing.T) {
	stats := analyze(t, draw(3, 1, 200*256, 5000), Options{Sample: 20})
	bare := stats
	bare.Cover, bare.Misses, bare.Sampled = Cover{}, Misses{}, nil
	for _, want := range []Stats{stats, bare} {
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Stats
		if err := strictjson.Decode(data, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if known := strings.Contains(string(data), `"cover"`); known != want.HotKnown() {
			t.Errorf("cover in JSON: %t; known: %t", known, want.HotKnown())
		}
	}
	for _, data := range []string{`{"cover": [0.5, 0.6]}`,
		`{"cover": [` + strings.Repeat("1,", 17) + `1]}`, `{"misses": []}`, `{"misses": null}`, `{"misses": [{"lanes": 1}, {}, {}, {}, {}, {}]}`,
		`{"sampled": {"half_width": {"cover": [1]}}}`} {
		var s Stats
		if err := strictjson.Decode([]byte(data), &s); err == nil {
			t.Errorf("%s: no error", data)
		}
	}
	if err := json.Unmarshal([]byte(`{"cover": [1]}`), new(Stats)); !errors.Is(err, ErrStats) {
		t.Errorf("error %v, want ErrStats", err)
	}
}

// TestHotStatsAreChecked: Check accepts the statistics of every stream, sampled and shifted too.
func TestHotStatsAreChecked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys, opt := drawStream(t, 3000)
		if s := analyze(t, keys, opt); s.Check() != nil || !s.HotKnown() {
			t.Fatalf("%v: %+v", s.Check(), s)
		}
		opt.Sample = rapid.IntRange(4, 20).Draw(t, "sample")
		s := analyze(t, keys, opt)
		for _, by := range []float64{0, -1, 1, rapid.Float64Range(-100, 100).Draw(t, "by")} {
			if to := s.Shifted(by); to.checkHot() != nil || !to.HotKnown() {
				t.Fatalf("by %v: %v: %+v", by, to.checkHot(), to)
			}
		}
	})
}

// TestOrderDoesNotMatter: what is hot does not depend on the order of a stream.
func TestOrderDoesNotMatter(t *testing.T) {
	keys := draw(3, 5, 20_000, 1<<20)
	a := analyze(t, keys, Options{})
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	b := analyze(t, keys, Options{})
	for i := range a.Misses {
		if x, y := a.Misses[i], b.Misses[i]; x.Lanes != y.Lanes || x.Frequency != y.Frequency {
			t.Errorf("table %d: %+v, shuffled %+v", i, x, y)
		}
	}
	if a.Cover != b.Cover {
		t.Errorf("cover %v, shuffled %v", a.Cover, b.Cover)
	}
}

// TestFrequentOfLongStreams compares streams of many pages, most of whose targets are left out as
// too rare, with a plain count.
func TestFrequentOfLongStreams(t *testing.T) {
	for dist, bits := range map[int]uint{0: 21, 2: 22, 3: 23} {
		keys := draw(dist, 7, 1_300_000, 1<<bits)
		s := analyze(t, keys, Options{Workers: 3})
		counts := make([]uint64, 1<<bits)
		for _, key := range keys {
			counts[key]++
		}
		want := Stats{Updates: s.Updates}
		for i := range s.Misses {
			m := &want.Misses[i]
			best := make([]uint64, TableSlots(i))
			for key, n := range counts {
				slot := uint32(key) * 2654435761 >> (28 - 2*i)
				m.Frequency = max(m.Frequency, min(n, best[slot]))
				best[slot] = max(best[slot], n)
			}
			missing := s.Updates
			for _, n := range best {
				missing -= n
			}
			m.Lanes = float64(missing) / perWarp.number(&s)
			if got := s.Misses[i]; got.Lanes != m.Lanes || got.Frequency != m.Frequency {
				t.Errorf("dist=%s, table %d: %+v, counted %+v", streams[dist].name, i, got, *m)
			}
		}
		slices.Sort(counts)
		slices.Reverse(counts)
		for j, got := range s.Cover {
			var sum uint64
			for _, n := range counts[:1<<j] {
				sum += n
			}
			if want := float64(sum) / float64(s.Updates); got != want {
				t.Errorf("dist=%s: cover of 2^%d is %v, counted %v", streams[dist].name, j, got, want)
			}
		}
	}
}

// TestRankingOfHighFrequencies: what is listed singly ranks with what is counted.
func TestRankingOfHighFrequencies(t *testing.T) {
	var r ranking
	for _, n := range []uint64{5, rankedSingly + 1, rankedSingly - 1, 5, 1 << 40, 5, rankedSingly} {
		r.add(n, 1)
	}
	s := r.selection()
	want := []uint64{1 << 40, 1<<40 + rankedSingly + 1, 1<<40 + 3*rankedSingly,
		1<<40 + 3*rankedSingly + 15}
	if got := s.updates[:4]; !slices.Equal(got, want) {
		t.Errorf("selected updates %v, want %v", got, want)
	}
	if least := r.least(); least != 0 {
		t.Errorf("%d updates more change nothing in a ranking of 7 targets", least)
	}
	r.add(17, 1<<16)
	if least := r.least(); least != 17 {
		t.Errorf("of 2^16 targets with 17 updates, %d more change nothing", least)
	}
	for range 1 << 16 {
		r.add(1<<20, 1)
	}
	if least := r.least(); least != rankedSingly-1 {
		t.Errorf("of 2^16 targets with 2^20 updates, %d more change nothing", least)
	}
}

// TestSelectionSharesEquals: of equal targets each is selected in part.
func TestSelectionSharesEquals(t *testing.T) {
	var r ranking
	r.add(9, 1)
	r.add(4, 6)
	s := r.selection()
	for n, want := range map[uint64]Cover{9: {1, 1, 1, 1}, 4: {0, 1.0 / 6, 0.5, 1}} {
		var got Cover
		s.add(&got, n, 1)
		if !slices.Equal(got[:4], want[:4]) {
			t.Errorf("a target with %d updates is selected to %v, want %v", n, got[:4], want[:4])
		}
	}
}

// TestContestOfManyUpdates: counts beyond 32 bits come from the counters.
func TestContestOfManyUpdates(t *testing.T) {
	w := &worker{frequent: newFrequent()}
	counts := tally{bits: 16, pages: []page{{bits: 16, list: targetList{[]uint32{3, 5}, []uint32{8, 2}},
		carry: map[uint32]uint64{3: 2}}}}
	counts.pages[0].summarize(w)
	h := hotSample{counts: &counts}
	c := newContender(3, 2<<32+8)
	if got := h.updates(c); got != 2<<32+8 || c.target() != 3 {
		t.Errorf("target %d with %d updates", c.target(), got)
	}
	if lower := newContender(2, 2<<32); lower < c || newContender(2, 7) > newContender(9, 8) {
		t.Error("the more frequent target, and of equals the lower, does not win")
	}
	if got := w.frequent.tables[largest][largestSlot(5)]; h.updates(got) != 2 {
		t.Errorf("target 5 has %d updates", h.updates(got))
	}
}

// TestMissEstimates compares an analysis of streams longer than the kept blocks with one in which
// all blocks count.
func TestMissEstimates(t *testing.T) {
	for _, c := range hotStreams {
		keys := c.keys()
		got, all := analyze(t, keys, Options{}), analyze(t, keys, Options{Sample: 4096})
		for i := range all.Misses {
			g, a := &got.Misses[i], &all.Misses[i]
			if g.Frequency != a.Frequency || math.Abs(g.Lanes-a.Lanes) > 1e-9*a.Lanes {
				t.Errorf("%s, table %d: %+v, want frequency and lanes of %+v", c.name, i, *g, *a)
			}
			want := a.means()
			for figure, mean := range g.means() {
				if off := math.Abs(*mean - *want[figure]); off > 0.03**want[figure] {
					t.Errorf("%s, table %d, figure %d: %v, want %v", c.name, i, figure, *mean, *want[figure])
				}
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

// TestHotTableIntervals draws samples of such a stream: the intervals hold the truth about as often
// as they say.
func TestHotTableIntervals(t *testing.T) {
	const draws = 200
	keys := hotKeys()
	exact := analyze(t, keys, Options{})
	hits := map[string]int{}
	clear := regexp.MustCompile(`^cover\.[0-2]$|^misses\.[0-2]\.`) // of no more targets than are hot
	for seed := range uint64(draws) {
		s := analyze(t, keys, Options{Sample: 60, Seed: seed})
		for _, d := range Statistics() {
			truth, _ := d.Value(&exact)
			estimate, half := d.Value(&s)
			if !clear.MatchString(d.Name) {
				continue
			}
			if half > 0.5*truth {
				t.Fatalf("seed=%d: interval of %s %v ± %v says nothing", seed, d.Name, estimate, half)
			}
			if d.Mean(&s) == nil {
				half += 0.5
			}
			if math.Abs(truth-estimate) <= half {
				hits[d.Name]++
			}
		}
	}
	for name, n := range hits { // four standard errors of 200 draws from 0.95, rounded
		if share := float64(n) / draws; share < 0.88 {
			t.Errorf("interval of %s covers in %.3f of samples", name, share)
		}
	}
	if want := 3 + 3*missFigures; len(hits) != want {
		t.Errorf("checked %d figures, want %d", len(hits), want)
	}
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
			cover, lanes = cover+s.Cover[10]/draws, lanes+s.Misses[3].Lanes/draws
			off += h.Cover[10] / draws
		}
		// Half-widths are 2.13 standard errors of a sample.
		if slack := 4 * off / 2.13 / math.Sqrt(draws); cover > exact.Cover[10]+slack+1e-9 ||
			lanes < exact.Misses[3].Lanes-32*slack {
			t.Errorf("dist=%s: %v covered, %v missed per warp; of the stream %v and %v",
				streams[dist].name, cover, lanes, exact.Cover[10], exact.Misses[3].Lanes)
		}
	}
}

// TestHotFaultsNameTheirBounds: what a table cannot leave over is named with what it can.
func TestHotFaultsNameTheirBounds(t *testing.T) {
	s := analyze(t, draw(0, 1, 300*256, 5000), Options{})
	most := s.Misses[0].Distinct
	s.Misses[1].Distinct = most + 1
	want := fmt.Sprintf("misses.1.distinct_per_warp %v: want 0 to %v", most+1, min(s.Misses[1].Lanes, most))
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
