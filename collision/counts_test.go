package collision

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPagesCount: pages in every form have the summary and the frequencies of a map.
func TestPagesCount(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	forms := map[string]bool{}
	for range 40 {
		top := []uint32{1<<24 - 1, 1<<28 - 1, 1<<32 - 1}[r.IntN(3)]
		w := &worker{frequent: newFrequent()}
		var counts tally
		counts.grow(top, []*worker{w})
		reference := map[uint32]uint64{}
		for range 1 + r.IntN(4) {
			keys := make([]uint32, r.IntN(1<<14))
			spread := uint32(1) << r.IntN(25)
			begin := r.Uint32N(top - min(spread, top) + 1)
			for i := range keys {
				keys[i] = begin + r.Uint32N(min(spread, top-begin)+1)
				reference[keys[i]]++
			}
			for i := range keys {
				counts.pages[keys[i]>>counts.bits].count(keys[i:i+1], &w.grouper)
			}
			counts.countLogs([]*worker{w}, 1+r.IntN(1<<14))
		}
		if len(reference) == 0 {
			continue
		}
		var got summary
		for i := range counts.pages {
			p := &counts.pages[i]
			got.join(p.summarize(w))
			forms["dense"] = forms["dense"] || p.dense != nil
			forms["list"] = forms["list"] || len(p.list.keys) > 0
			forms["log"] = forms["log"] || len(p.log) > 0
		}
		if want := summaryOf(reference); got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		for key := range reference {
			for _, target := range []uint32{key, key ^ 1} {
				if got := counts.frequency(target); got != reference[target] {
					t.Fatalf("%d updates of %d, want %d", got, target, reference[target])
				}
			}
		}
	}
	if !forms["dense"] || !forms["list"] || !forms["log"] {
		t.Errorf("forms of pages: %v", forms)
	}
}

func summaryOf(reference map[uint32]uint64) (s summary) {
	chunks4, chunks8 := map[uint32]uint64{}, map[uint32]uint64{}
	for _, key := range slices.Sorted(maps.Keys(reference)) {
		n := reference[key]
		s.unique++
		if n > s.highest {
			s.highest, s.hottest = n, key
		}
		chunks4[key/64] += n
		chunks8[key/32] += n
	}
	s.highestChunk4, s.highestChunk8 = highestOf(chunks4), highestOf(chunks8)
	return s
}

// TestPagesOfWorkers: what workers count in pages of their own is there whenever statistics are
// asked for, and when the stream gets more targets.
func TestPagesOfWorkers(t *testing.T) {
	const n = 5 * taskUpdates
	var keys []uint32
	a, err := NewAccumulator(Options{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	alone := 0
	for part, k := range []uint64{300, 1 << 16, 9, 1 << 20} {
		keys = append(keys, draw(0, uint64(part), n, k)...)
		if err := a.Add(keys[len(keys)-n:]); err != nil {
			t.Fatal(err)
		}
		for _, w := range a.workers {
			if w.alone.dense != nil {
				alone++
			}
		}
		got, want := statsOf(t, a), analyze(t, keys, Options{Workers: 1})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after part %d (one worker against three):\n%s", part, diff)
		}
	}
	if alone == 0 {
		t.Error("no worker has counted alone")
	}
}
