package boundary

import (
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
)

// TestStatisticsOfStreams: whatever the stream, the statistics around it are those that a stream can
// have, whole or of an excerpt.
func TestStatisticsOfStreams(t *testing.T) {
	checked, random := 0, synth.NewRand(1)
	for range 25 {
		spec, err := synth.Sample(random, synth.Ranges{NMin: 2048, NMax: 1 << 13, KMax: 1 << 20})
		tunertest.Must(t, err)
		s, indices := made(t, spec.String())
		for _, m := range []*maker{newMaker(s), newMaker(half(s, indices))} {
			for _, q := range m.quantities() {
				for i := 0; i < len(q.grid); i += 3 {
					got, err := q.stats(q.grid[i])
					if err == nil {
						err = model.CheckStats(&got, got.WarpSize)
					}
					if err != nil {
						t.Fatalf("%s, %s %v: %v", spec, q.name, q.grid[i], err)
					}
					checked++
				}
			}
		}
	}
	if checked < 800 {
		t.Errorf("checked %d", checked)
	}
}

// half returns a stream of which the excerpt has half of the blocks.
func half(s Stream, indices []uint32) Stream {
	e := NewExcerpt(256)
	e.Add(indices)
	e.shift = 1
	e.blocks = e.blocks[:(len(e.blocks)+1)/2]
	s.Excerpt = e
	return s
}

// TestExcerpt: a short stream is kept whole; of a long one whole blocks are, in their order, neither
// more nor fewer than said, however it is cut.
func TestExcerpt(t *testing.T) {
	const size = 128
	indices := func(n int) []uint32 {
		list := make([]uint32, n)
		for i := range list {
			list[i] = uint32(i)
		}
		return list
	}
	for _, updates := range []int{1, size, 1000, mostKept + size - 1, mostKept + size, 3*mostKept + 1} {
		whole, parts, long := NewExcerpt(size), NewExcerpt(size), indices(updates)
		whole.Add(long)
		for part := range slices.Chunk(long, 777) {
			parts.Add(part)
		}
		kept := whole.Keys()
		if !slices.Equal(kept, parts.Keys()) {
			t.Errorf("%d updates: the excerpt depends on the chunks", updates)
		}
		if whole.Whole() {
			if updates >= mostKept+size || !slices.Equal(kept, long) || whole.Updates() != updates {
				t.Errorf("%d of %d updates are kept", len(kept), updates)
			}
			continue
		}
		if n := whole.Updates(); updates < mostKept+size || n > mostKept+size || n < mostKept*3/8 {
			t.Errorf("%d of %d updates are kept", n, updates)
		}
		for b := 0; b+size < len(kept); b += size + 1 {
			if kept[b+1]%size != 0 || kept[b+size] != kept[b+1]+size-1 || kept[b] != max(1, kept[b+1])-1 {
				t.Fatalf("%d updates: no block begins at %d", updates, kept[b+1])
			}
		}
	}
}

// TestExcerptStandsForStream: what is made of an excerpt is near what is made of the whole stream.
func TestExcerptStandsForStream(t *testing.T) {
	for _, text := range []string{"uniform:n=262344,k=256", "zipf:n=262144,k=16384,s=0.8",
		"runs:n=262144,k=999,len=9"} {
		s, indices := made(t, text)
		part, whole := newMaker(half(s, indices)).quantities(), newMaker(s).quantities()
		for i, q := range part {
			for _, value := range []float64{q.here, q.grid[len(q.grid)/2], q.grid[len(q.grid)-4]} {
				got, err := q.stats(value)
				tunertest.Must(t, err)
				want, err := whole[i].stats(value)
				tunertest.Must(t, err)
				compare(t, text, q.name, value, &got, &want)
			}
		}
	}
}

func compare(t *testing.T, text string, q Quantity, value float64, got, want *collision.Stats) {
	t.Helper()
	for _, c := range []struct {
		name            string
		got, want, most float64
	}{
		{"updates", float64(got.Updates), float64(want.Updates), 0},
		{"unique", float64(got.Unique), float64(want.Unique), 0.25},
		{"runs", float64(got.Runs), float64(want.Runs), 0.02},
		{"max_frequency", float64(got.MaxFrequency), float64(want.MaxFrequency), 0.5},
		{"warp_level", got.WarpLevel, want.WarpLevel, 0.02},
		{"distinct_per_warp", got.DistinctPerWarp, want.DistinctPerWarp, 0.02},
		{"distinct_per_block", got.DistinctPerBlock, want.DistinctPerBlock, 0.02},
	} {
		if off := math.Abs(c.got/c.want - 1); off > c.most {
			t.Errorf("%s, %s %v: %s %v, of the whole stream %v", text, q, value, c.name, c.got, c.want)
		}
	}
}

// TestLength: a stream twice over has the statistics that were foreseen, and a random half nearly so.
func TestLength(t *testing.T) {
	for _, text := range []string{"uniform:n=65536,k=4096", "zipf:n=65536,k=65536,s=1"} {
		s, indices := made(t, text)
		twice := streamOf(t, slices.Concat(indices, indices), s.Stats.Bins)
		compare(t, text, Updates, 2, ref(ofLength(*s.Stats, s.Frequencies, 131072)), twice.Stats)
		short := ofLength(*s.Stats, s.Frequencies, 32768)
		want := streamOf(t, indices[:32768], s.Stats.Bins)
		compare(t, text, Updates, 0.5, &short, want.Stats)
		if off := float64(short.Unique) / float64(want.Stats.Unique); math.Abs(off-1) > 0.02 {
			t.Errorf("%s: %d targets in half of the stream, %d foreseen", text, want.Stats.Unique, short.Unique)
		}
		blind := ofLength(*s.Stats, nil, 32768)
		if blind.Unique < short.Unique || blind.Unique > s.Stats.Unique {
			t.Errorf("%s: %d targets without frequencies, %d with", text, blind.Unique, short.Unique)
		}
	}
}

func ref(s collision.Stats) *collision.Stats { return &s }

// TestTargets: fewer targets merge neighbours, more split them and keep runs together.
func TestTargets(t *testing.T) {
	indices := []uint32{0, 1, 2, 3, 3, 3, 0, 0, 1}
	if got := onTargets(nil, indices, 4, 2); !slices.Equal(got, []uint32{0, 0, 1, 1, 1, 1, 0, 0, 0}) {
		t.Errorf("on 2 of 4 targets: %v", got)
	}
	got := onTargets(nil, indices, 4, 4000)
	for i, target := range got {
		if target/1000 != indices[i] {
			t.Errorf("update %d goes to %d", i, target)
		}
		if i > 0 && (indices[i] == indices[i-1]) != (target == got[i-1]) {
			t.Errorf("update %d goes to %d after %d", i, target, got[i-1])
		}
	}
}

// TestContended: shares are moved where they should, and 1 moves all.
func TestContended(t *testing.T) {
	s, indices := made(t, "uniform:n=100000,k=1000")
	if hottest := s.Excerpt.hottest(); s.Stats.MaxFrequency != uint64(occurrences(indices, hottest)) {
		t.Errorf("target %d is not the most frequent", hottest)
	}
	for share, want := range map[float64]float64{0: 0.001, 0.25: 0.25, 1: 1, -0.5: 0.001} {
		got := float64(occurrences(contended(nil, indices, 7, 1000, share), 7)) / 1e5
		if math.Abs(got-want) > 0.01 {
			t.Errorf("share %v: %v of the updates on the target", share, got)
		}
	}
	constant := make([]uint32, 1<<15)
	spread := contended(nil, constant, 0, 1<<20, -1)
	slices.Sort(spread)
	if n := len(slices.Compact(spread)); n < 32000 {
		t.Errorf("one target, spread: %d targets", n)
	}
}

func occurrences(indices []uint32, target uint32) (n int) {
	for _, t := range indices {
		if t == target {
			n++
		}
	}
	return n
}
