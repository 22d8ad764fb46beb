package collision

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawStream draws a stream and options for a property.
func drawStream(t *rapid.T, longest int) ([]uint32, Options) {
	warp := rapid.SampledFrom([]int{32, 32, 32, 1, 5, 16, 64}).Draw(t, "warp")
	opt := Options{
		WarpSize: warp, BlockSize: warp * rapid.SampledFrom([]int{1, 2, 3, 4, 8, 16}).Draw(t,
			"warps"),
		Workers: rapid.IntRange(1, 5).Draw(t, "workers"),
		Vectors: rapid.SampledFrom(Vectors()).Draw(t, "vectors"),
	}
	k := rapid.SampledFrom([]uint64{1, 7, 300, 70000, 1 << 22, 1 << 32}).Draw(t, "bins")
	n := rapid.IntRange(1, longest).Draw(t, "n")
	dist := rapid.IntRange(0, len(streams)-1).Draw(t, "dist")
	return draw(dist, rapid.Uint64().Draw(t, "seed"), n, k), opt
}

// accumulate adds keys in chunks of lengths that rapid draws.
func accumulate(t *rapid.T, keys []uint32, opt Options) *Accumulator {
	a, err := NewAccumulator(opt)
	if err != nil {
		t.Fatal(err)
	}
	for len(keys) > 0 {
		n := rapid.IntRange(0, len(keys)).Draw(t, "chunk")
		if rapid.Bool().Draw(t, "rest") {
			n = len(keys)
		}
		if err := a.Add(keys[:n]); err != nil {
			t.Fatal(err)
		}
		keys = keys[n:]
		if rapid.IntRange(0, 9).Draw(t, "look") == 0 && a.updates > 0 {
			statsOf(t, a)
		}
	}
	return a
}

func statsOf(t interface{ Fatal(...any) }, a *Accumulator) Stats {
	s, err := a.Stats()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func analyze(t interface{ Fatal(...any) }, keys []uint32, opt Options) Stats {
	s, err := Analyze(keys, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestChunksDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys, opt := drawStream(t, 3000)
		want := analyze(t, keys, Options{WarpSize: opt.WarpSize, BlockSize: opt.BlockSize,
			Workers: 1})
		if diff := cmp.Diff(want, statsOf(t, accumulate(t, keys, opt))); diff != "" {
			t.Fatalf("one call against chunks:\n%s", diff)
		}
		if diff := cmp.Diff(reference(keys, opt.WarpSize, opt.BlockSize, 0), want,
			near); diff != "" {
			t.Fatalf("reference against one call:\n%s", diff)
		}
	})
}

// TestLongStreams crosses the borders of tasks, rounds and pending updates. Rounds are short but
// with ATOMTUNE_FULL=1.
func TestLongStreams(t *testing.T) {
	tasks := 5
	if os.Getenv("ATOMTUNE_FULL") != "" {
		tasks = roundTasks
	}
	n := max(tasks*taskUpdates, pendingMax) + 1<<18 + 77
	for dist, bits := range map[int]uint{0: 22, 2: 12, 3: 32} {
		keys := draw(dist, 3, n, 1<<bits)
		want := analyze(t, keys, Options{Workers: 1})
		for _, chunk := range []int{pendingMax/4 + 33, pendingMax + 33, n} {
			a, err := NewAccumulator(Options{Workers: 3})
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

// TestHighIndicesLate makes the tally regroup its pages again and again.
func TestHighIndicesLate(t *testing.T) {
	a, err := NewAccumulator(Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	var all []uint32
	for bits := uint(4); bits <= 32; bits += 4 {
		keys := draw(0, uint64(bits), 34000, 1<<bits)
		all = append(all, keys...)
		if err := a.Add(keys); err != nil {
			t.Fatal(err)
		}
		got := statsOf(t, a)
		if diff := cmp.Diff(analyze(t, all, Options{}), got); diff != "" {
			t.Fatalf("after %d bits, one call against chunks:\n%s", bits, diff)
		}
		if bits < 32 {
			continue
		}
		want := reference(all, 32, 256, 0)
		estimates := onlyEstimated(&want) // as there are more blocks than the sample holds
		for i, hot := range onlyEstimated(&got) {
			if off := math.Abs(*hot - *estimates[i]); off < 0.01**estimates[i] {
				*hot = *estimates[i]
			}
		}
		if diff := cmp.Diff(want, got, near); diff != "" {
			t.Fatalf("reference against chunks:\n%s", diff)
		}
	}
}

func TestInputIsNotModified(t *testing.T) {
	keys := draw(3, 1, 100000, 1<<20)
	copied := slices.Clone(keys)
	analyze(t, keys, Options{})
	analyze(t, keys, Options{Sample: 16})
	if !slices.Equal(keys, copied) {
		t.Error("Analyze changed its input")
	}
}

// onlyEstimated returns what is estimated of a stream of which all else is exact.
func onlyEstimated(s *Stats) []*float64 {
	list := []*float64{&s.HotWarps, &s.HotSegments}
	for i := range s.Misses {
		means := s.Misses[i].means()
		list = append(list, means[missDistinct:]...)
	}
	return list
}

func TestErrors(t *testing.T) {
	for _, opt := range []Options{
		{WarpSize: -1}, {WarpSize: 1025}, {BlockSize: -256}, {BlockSize: 100}, {BlockSize: 1 << 17},
		{Bins: 1<<32 + 1}, {Workers: -1}, {Workers: 1025}, {Sample: -1}, {Sample: 3},
		{Sample: 1 << 15, BlockSize: 1 << 16},
	} {
		if _, err := Analyze([]uint32{1}, opt); !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: got error %v, want ErrOptions", opt, err)
		}
	}
	most := Options{Sample: 1 << 14, BlockSize: 1 << 16}
	if err := most.Validate(); err != nil {
		t.Errorf("a sample of 2^30 updates: %v", err)
	}
	for _, opt := range []Options{{}, {Sample: 8}} {
		if _, err := Analyze(nil, opt); !errors.Is(err, ErrEmpty) {
			t.Errorf("%+v, empty stream: got error %v, want ErrEmpty", opt, err)
		}
		opt.Bins = 10
		_, err := Analyze([]uint32{9, 0, 10, 11}, opt)
		if want := "collision: index out of range: update 2 has index 10, the stream has 10 bins"; !errors.Is(err, ErrIndex) || err.Error() != want {
			t.Errorf("%+v: got error %v, want %s", opt, err, want)
		}
	}
}

func TestRejectedChunkLeavesNothing(t *testing.T) {
	a, err := NewAccumulator(Options{Bins: 10})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Add([]uint32{1, 2}); err != nil {
		t.Fatal(err)
	}
	if err := a.Add([]uint32{3, 10}); !errors.Is(err, ErrIndex) {
		t.Fatalf("got error %v, want ErrIndex", err)
	}
	if diff := cmp.Diff(reference([]uint32{1, 2}, 32, 256, 10), statsOf(t, a), near); diff != "" {
		t.Error(diff)
	}
}

// TestCountersRunOver starts counters just below 2^32, dense and sparse.
func TestCountersRunOver(t *testing.T) {
	for _, dense := range []bool{true, false} {
		t.Run(fmt.Sprintf("dense=%t", dense), func(t *testing.T) {
			w := &worker{frequent: newFrequent()}
			r := &w.grouper
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

func TestGrouped(t *testing.T) {
	for _, c := range []struct {
		keys []uint32
		want bool
	}{{[]uint32{7}, true}, {[]uint32{2, 2, 1, 1, 1}, true}, {[]uint32{1, 2, 1}, false}} {
		s := analyze(t, c.keys, Options{})
		if s.Grouped() != c.want {
			t.Errorf("%v: grouped %t, want %t", c.keys, s.Grouped(), c.want)
		}
	}
}

func FuzzAnalyze(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0}, uint8(32), uint8(8), uint16(0))
	f.Fuzz(func(t *testing.T, data []byte, warp, warps uint8, cut uint16) {
		var keys []uint32
		for ; len(data) >= 4; data = data[4:] {
			keys = append(keys, uint32(data[0])|uint32(data[1])<<8|uint32(data[2])<<16|uint32(data[3])<<24)
		}
		opt := Options{WarpSize: int(warp), BlockSize: int(warp) * int(warps)}
		a, err := NewAccumulator(opt)
		if err != nil || len(keys) == 0 {
			return
		}
		n := min(int(cut), len(keys))
		for _, part := range [][]uint32{keys[:n], keys[n:]} {
			if err := a.Add(part); err != nil {
				t.Fatal(err)
			}
		}
		got := statsOf(t, a)
		want := reference(keys, got.WarpSize, got.BlockSize, 0)
		if len(keys)/got.BlockSize > hotSampleSize(got.BlockSize) { // estimates
			for i, hot := range onlyEstimated(&want) {
				*hot = *onlyEstimated(&got)[i]
			}
		}
		if diff := cmp.Diff(want, got, near); diff != "" {
			t.Error(diff)
		}
	})
}
