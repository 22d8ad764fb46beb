package sensitivity

import (
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
)

// made returns a stream of a specification with what Around reads, and its indices.
func made(t *testing.T, text string) (Stream, []uint32) {
	t.Helper()
	indices, bins := tunertest.Generate(t, text)
	return streamOf(t, indices, bins), indices
}

func streamOf(t *testing.T, indices []uint32, bins uint64) Stream {
	t.Helper()
	a, err := collision.NewAccumulator(collision.Options{Bins: bins})
	tunertest.Must(t, err)
	if err := a.Add(indices); err != nil {
		t.Fatal(err)
	}
	stats, err := a.Stats()
	tunertest.Must(t, err)
	s := Stream{Stats: &stats, Frequencies: a.Frequencies(), Excerpt: NewExcerpt(stats.BlockSize)}
	s.Excerpt.Add(indices)
	return s
}

func chooser(t *testing.T, name string) *tuner.Chooser {
	t.Helper()
	c, err := tuner.New(tunertest.Profile(t, name), tuner.Options{SearchLaunch: true})
	tunertest.Must(t, err)
	return c
}

// TestBreakEvens: on both sides of a break-even point the kinds that it names are the faster ones,
// it is known as well as it says, further out the kinds are apart, and the stream's own choice wins
// at the stream.
func TestBreakEvens(t *testing.T) {
	c := chooser(t, "h200")
	found := 0
	for _, text := range []string{"uniform:n=65536,k=4096", "zipf:n=65536,k=65536,s=1.1",
		"sorted:n=40000,k=500", "hotspot:n=50000,k=4,h=1,p=0.8",
		"uniform:n=600,k=20"} {
		s, _ := made(t, text)
		pick, err := c.Pick(s.Stats)
		tunertest.Must(t, err)
		for _, q := range newMaker(s).quantities() {
			w := newWalk(q, c, Stream{})
			w.follow(pick.Implementation.Kind())
			if w.err != nil {
				t.Fatal(w.err)
			}
			if w.kinds[w.winner] != pick.Implementation.Kind() {
				t.Errorf("%s, %s: %s wins at the stream, the choice is %s", text, q.name,
					w.kinds[w.winner], pick.Implementation)
			}
			below := math.Inf(-1)
			for i, b := range w.breaks {
				found++
				checkBreak(t, w, b)
				if b.Last < below {
					t.Errorf("%s, %s: %+v after %v", text, q.name, b, below)
				}
				if below = b.First; i > 0 && w.breaks[i-1].Above != b.Below {
					t.Errorf("%s, %s: %s ends where %s has won", text, q.name, b.Below, w.breaks[i-1].Above)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d break-even points", found)
	}
}

func checkBreak(t *testing.T, w *walk, b BreakEven) {
	t.Helper()
	below, above := slices.Index(w.kinds, b.Below), slices.Index(w.kinds, b.Above)
	last, first := w.at(b.Last).US, w.at(b.First).US
	if b.Last == w.here || b.First == w.here { // where the choice may be slower by a tie
		last, first = slices.Clone(last), slices.Clone(first)
		last[above] *= 1 + tuner.TieBand
		first[below] *= 1 + tuner.TieBand
	}
	if last[below] > last[above] || first[above] > first[below] || b.Below == b.Above {
		t.Errorf("%s: %+v, but %v and %v us at the last, %v and %v us at the first", w.name, b, last[below],
			last[above], first[below], first[above])
	}
	if _, wide := w.between(b.Last, b.First); wide || b.Last >= b.First {
		t.Errorf("%s: %+v is not narrow", w.name, b)
	}
	apart := false
	for _, us := range outwardOf(w, b) {
		apart = apart || us[1] > (1+tuner.TieBand)*us[0]
	}
	if !apart {
		t.Errorf("%s: behind %+v the kinds are tied", w.name, b)
	}
}

// outwardOf returns the times of the winning and the losing kind at the values further out than a
// break-even point.
func outwardOf(w *walk, b BreakEven) (list [][2]float64) {
	winner, loser := slices.Index(w.kinds, b.Above), slices.Index(w.kinds, b.Below)
	outer := func(v float64) bool { return v >= b.First }
	if b.First <= w.here {
		winner, loser = loser, winner
		outer = func(v float64) bool { return v <= b.Last }
	}
	for _, v := range w.grid {
		if outer(v) {
			list = append(list, [2]float64{w.at(v).US[winner], w.at(v).US[loser]})
		}
	}
	return list
}

// TestHere: at the value of the stream each sweep has the very statistics of the stream.
func TestHere(t *testing.T) {
	for _, text := range []string{"uniform:n=5000,k=77", "sorted:n=4096,k=900", "runs:n=100000,k=9000"} {
		s, _ := made(t, text)
		for _, q := range newMaker(s).quantities() {
			if got, err := q.stats(q.here); err != nil || got != *s.Stats {
				t.Errorf("%s, %s: %v, %+v, want %+v", text, q.name, err, got, *s.Stats)
			}
			if !slices.IsSorted(q.grid) || !slices.Contains(q.grid, q.here) {
				t.Errorf("%s, %s: %v lacks %v", text, q.name, q.grid, q.here)
			}
		}
	}
}

// TestAround: three sweeps with a line for each kind that wins, none of a stream of one block.
func TestAround(t *testing.T) {
	c := chooser(t, "gtx980")
	s, _ := made(t, "uniform:n=512,k=300")
	pick, err := c.Pick(s.Stats)
	tunertest.Must(t, err)
	list, err := Around(s, c, pick.Implementation)
	if err != nil || len(list) != 3 {
		t.Fatalf("%d sweeps, %v", len(list), err)
	}
	for i, sweep := range list {
		if want := []Quantity{Updates, Targets, Contention}[i]; sweep.Quantity != want || sweep.Held == "" {
			t.Errorf("%s, held %q, want %s", sweep.Quantity, sweep.Held, want)
		}
		if len(sweep.Lines) < 1 || len(sweep.WarpLevels) != len(sweep.Places) {
			t.Errorf("%s: %d lines, %d levels", sweep.Quantity, len(sweep.Lines), len(sweep.WarpLevels))
		}
		for _, l := range sweep.Lines {
			if len(l.US) != len(sweep.Places) {
				t.Errorf("%s, %s: %d times of %d", sweep.Quantity, l.Kind, len(l.US), len(sweep.Places))
			}
		}
	}
	short, _ := made(t, "uniform:n=511,k=300")
	if list, err := Around(short, c, pick.Implementation); err != nil || list != nil {
		t.Errorf("%d sweeps around a short stream, %v", len(list), err)
	}
}

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
