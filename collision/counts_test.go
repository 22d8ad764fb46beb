package collision

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/google/go-cmp/cmp"
)

// TestPagesCount: pages in every form have the summary and the frequencies of a map.
func TestPagesCount(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	forms := map[string]bool{}
	for range 24 {
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
				counts.pages[keys[i]>>counts.bits].count(keys[i:i+1], &w.sorter)
			}
			counts.countLogs([]*worker{w}, 1+r.IntN(1<<14))
		}
		if len(reference) == 0 {
			continue
		}
		var got summary
		for i := range counts.pages {
			p := &counts.pages[i]
			forms["log"] = forms["log"] || len(p.log) > 0
			got.join(p.summarize(w))
			forms["dense"] = forms["dense"] || p.dense != nil
			forms["list"] = forms["list"] || len(p.list.keys) > 0
		}
		if want := summaryOf(reference); got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		for key := range reference {
			for _, target := range []uint32{key, key ^ 1} {
				if got := counts.Of(target); got != reference[target] {
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

// TestPagesOfWorkers: counts stay whenever statistics are asked for, and when the stream gets more targets, so
// that pages are grouped again and again.
func TestPagesOfWorkers(t *testing.T) {
	const n = 5 * taskUpdates
	var keys []uint32
	a, err := NewAccumulator(Options{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	for part, k := range []uint64{300, 1 << 16, 9, 1 << 20, 1 << 24, 1 << 28, 1 << 32} {
		keys = append(keys, draw(0, uint64(part), n/(1+part/4), k)...)
		if err := a.Add(keys[int(a.updates):]); err != nil {
			t.Fatal(err)
		}
		got, want := statsOf(t, a), analyze(t, keys, Options{Workers: 1})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after part %d (one worker against three):\n%s", part, diff)
		}
	}
}

// TestLongStreams crosses the borders of tasks, rounds and pending updates. Rounds are short but
// with ATOMTUNE_FULL=1.
func TestLongStreams(t *testing.T) {
	tasks := 5
	if golden.Full() {
		tasks = roundTasks
	}
	n := max(tasks*taskUpdates, pendingMax) + 1<<18 + 77
	for dist, bits := range map[int]uint{0: 22, 2: 12, 3: 32} {
		keys := draw(dist, 3, n, 1<<bits)
		padded := dist == 0
		if padded {
			pad(5, keys, 4, true)
		}
		want := analyze(t, keys, Options{Workers: 1, Padded: padded})
		for _, chunk := range []int{pendingMax/4 + 33, pendingMax + 33, n} {
			a, err := NewAccumulator(Options{Workers: 3, Padded: padded})
			if err != nil {
				t.Fatal(err)
			}
			a.round.most = tasks
			for part := range slices.Chunk(keys, chunk) {
				if err := a.Add(part); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(want, statsOf(t, a)); diff != "" {
				t.Errorf("dist=%s chunk=%d:\n%s", streams[dist].name, chunk, diff)
			}
		}
		keys = slices.DeleteFunc(keys, func(key uint32) bool { return padded && isInactive(key) })
		if got := different(keys); got != want.Unique {
			t.Errorf("dist=%s: %d unique targets, want %d", streams[dist].name, want.Unique, got)
		}
	}
}

// different counts the different targets of a stream, which it sorts where they are many.
func different(keys []uint32) (n uint64) {
	highest := slices.Max(keys)
	if highest > 1<<24 {
		slices.Sort(keys)
		return uint64(len(slices.Compact(keys)))
	}
	seen := make([]bool, highest+1)
	for _, key := range keys {
		if !seen[key] {
			seen[key] = true
			n++
		}
	}
	return n
}

// TestCountersRunOver starts counters just below 2^32, dense and sparse.
func TestCountersRunOver(t *testing.T) {
	for _, dense := range []bool{true, false} {
		t.Run(fmt.Sprintf("dense=%t", dense), func(t *testing.T) {
			w := &worker{frequent: newFrequent()}
			r := &w.sorter
			p := page{base: 1 << 16, bits: 16, list: targetList{[]uint32{1<<16 + 5}, []uint32{math.MaxUint32 - 1}}}
			if dense {
				p.makeDense()
			}
			p.count([]uint32{1<<16 + 5, 1<<16 + 4, 1<<16 + 5, 1<<16 + 5}, r)
			p.countLog(r)
			want := summary{unique: 2, hottest: 1<<16 + 5, highest: 1<<32 + 1,
				highestChunk4: 1<<32 + 2, highestChunk8: 1<<32 + 2}
			if got := p.summarize(w); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			q := page{bits: 17}
			q.absorb(&page{bits: 16, list: targetList{[]uint32{7}, []uint32{3}}}, r)
			q.absorb(&p, r)
			want.unique = 3
			if got := q.summarize(w); got != want {
				t.Errorf("absorbed: got %+v, want %+v", got, want)
			}
		})
	}
}
