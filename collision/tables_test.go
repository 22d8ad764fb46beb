package collision

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

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
		if diff := cmp.Diff(want, got); diff != "" || bytes.Contains(data, []byte(`"cover"`)) != want.HotKnown() {
			t.Errorf("%s\n%s", data, diff)
		}
	}
	for _, data := range []string{`{"cover": [0.5, 0.6]}`, `{"cover": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}`,
		`{"misses": []}`, `{"misses": null}`, `{"misses": [{"lanes": 1}, {}, {}, {}, {}, {}]}`,
		`{"sampled": {"half_width": {"cover": [1]}}}`} {
		if err := strictjson.Decode([]byte(data), new(Stats)); err == nil {
			t.Errorf("%s: no error", data)
		}
	}
	if err := json.Unmarshal([]byte(`{"cover": [1]}`), new(Stats)); !errors.Is(err, ErrStats) {
		t.Errorf("error %v, want ErrStats", err)
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
				m.MaxFrequency = max(m.MaxFrequency, min(n, best[slot]))
				best[slot] = max(best[slot], n)
			}
			missing := s.Updates
			for _, n := range best {
				missing -= n
			}
			m.LanesPerWarp = float64(missing) / perWarp.number(&s)
			if got := s.Misses[i]; got.LanesPerWarp != m.LanesPerWarp || got.MaxFrequency != m.MaxFrequency {
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
