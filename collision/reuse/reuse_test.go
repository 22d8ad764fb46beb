package reuse

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// plainMisses simulates the cache.
func plainMisses(indices []uint32, capacity int) float64 {
	var recent []uint32
	missed, updates := 0, 0
	for _, row := range indices {
		if row == Inactive {
			continue
		}
		updates++
		if at := slices.Index(recent, row); at >= 0 {
			recent = slices.Delete(recent, at, at+1)
		} else if missed++; len(recent) == capacity {
			recent = slices.Delete(recent, 0, 1)
		}
		recent = append(recent, row)
	}
	return float64(missed) / float64(updates)
}

// skewed draws n rows, low ones more often, some positions without an update.
func skewed(seed uint64, n int, rows uint64) []uint32 {
	random, out := splitmix.New(seed), make([]uint32, n)
	for i := range out {
		out[i] = uint32(random.Below(1 + random.Below(rows)))
		if random.Below(50) == 0 {
			out[i] = Inactive
		}
	}
	return out
}

func TestAnalyze(t *testing.T) {
	s, err := Analyze([]uint32{3, 3, 1, Inactive, 1, 3, 3, 0}, 5)
	if err != nil {
		t.Fatal(err)
	}
	want := &Stats{Positions: 8, Updates: 7, Rows: 5, Unique: 3, MaxFrequency: 4}
	for j := range want.Cover {
		want.Cover[j] = 1
	}
	want.Cover[0], want.Cover[1] = 4./7, 6./7
	want.Repeats = ByDistance{2. / 7, 1. / 7, 1. / 7}
	want.HotRepeats = ByDistance{2. / 4, 0, 1. / 4}
	for j := range want.Misses {
		want.Misses[j] = 3. / 7
	}
	want.Misses[0] = 4. / 7
	want.FarMisses = want.Misses // a stretch has one update
	for j := range want.Tables { // all of the stream is the sample
		want.Tables[j] = Table{6. / 7, 2, ByGroup{1, 1, 1, 1, 1, 1, 1, 1}}
	}
	want.Tables[0] = Table{4. / 7, 1, ByGroup{2, 3, 3, 3, 3, 3, 3, 3}} // both hash to one slot
	want.Busiest = ByGroup{4, 4, 7, 7, 7, 7, 7, 7}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
	if diff := cmp.Diff(want, s, near); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMisses: the curve is that of caches, in both orders.
func TestMisses(t *testing.T) {
	indices := skewed(1, 20000, 900)
	s, err := Analyze(indices, 900)
	if err != nil {
		t.Fatal(err)
	}
	var far []uint32
	inTurns(len(indices), func(at, end int) { far = append(far, indices[at:end]...) })
	if len(far) != len(indices) {
		t.Fatalf("%d of %d updates have a turn", len(far), len(indices))
	}
	for j := range 11 {
		if want := plainMisses(indices, 1<<j); math.Abs(s.Misses[j]-want) > 1e-9 {
			t.Errorf("%d rows: %v misses, want %v", 1<<j, s.Misses[j], want)
		}
		if want := plainMisses(far, 1<<j); math.Abs(s.FarMisses[j]-want) > 1e-9 {
			t.Errorf("%d rows, stretches in turns: %v misses, want %v", 1<<j, s.FarMisses[j], want)
		}
	}
}

// TestSampledMisses: of many rows a part is followed.
func TestSampledMisses(t *testing.T) {
	const rows = 1 << 17
	indices := skewed(2, 1<<20, rows)
	s, err := Analyze(indices, rows)
	if err != nil {
		t.Fatal(err)
	}
	whole := &curve{updates: s.Updates, low: 1 << 32, last: map[uint32]int{}}
	for _, row := range indices {
		whole.take(row)
	}
	for j, want := range whole.misses() {
		if math.Abs(s.Misses[j]-want) > 0.03 {
			t.Errorf("%d rows: %v misses, want %v", uint64(1)<<j, s.Misses[j], want)
		}
	}
}

// TestTables: the share that a table covers, by a walk over the stream.
func TestTables(t *testing.T) {
	indices := skewed(5, 30000, 400)
	s, err := Analyze(indices, 400)
	if err != nil {
		t.Fatal(err)
	}
	for j, got := range s.Tables {
		tags := tagsOf(sampled(indices), 2<<j)
		left, hits, updates := [Groups]map[uint32]uint64{}, 0, 0
		for g := range left {
			left[g] = map[uint32]uint64{}
		}
		for _, row := range indices {
			if row == Inactive {
				continue
			}
			if updates++; slices.Contains(tags, row) {
				hits++
				continue
			}
			for g := range left {
				left[g][row>>g]++
			}
		}
		want := Table{Cover: float64(hits) / float64(updates)}
		for g := range left {
			for _, n := range left[g] {
				want.Busiest[g] = max(want.Busiest[g], n)
			}
		}
		for _, row := range tags {
			if row != Inactive {
				want.Slots++
			}
		}
		if got != want {
			t.Errorf("%d slots: %+v, want %+v", 2<<j, got, want)
		}
	}
	if few, most := s.Tables[0], s.Tables[Tables-1]; few.Cover > 0.1 || most.Cover < 0.6 {
		t.Errorf("2 slots cover %v, 1,024 %v", few.Cover, most.Cover)
	}
}

// TestManyRows: counts in a map are those of an array.
func TestManyRows(t *testing.T) {
	indices := skewed(3, 5000, 300)
	few, err := Analyze(indices, 300)
	if err != nil {
		t.Fatal(err)
	}
	many, err := Analyze(indices, MostDense+1)
	if err != nil {
		t.Fatal(err)
	}
	many.Rows = few.Rows
	if diff := cmp.Diff(few, many); diff != "" {
		t.Errorf("(-array +map):\n%s", diff)
	}
}

func TestBadStreams(t *testing.T) {
	for _, c := range []struct {
		indices []uint32
		rows    uint64
	}{{[]uint32{1, 5}, 5}, {[]uint32{0}, 0}, {[]uint32{0}, 1 << 32}} {
		if _, err := Analyze(c.indices, c.rows); !errors.Is(err, ErrStream) {
			t.Errorf("%v of %d: %v", c.indices, c.rows, err)
		}
	}
	for updates, good := range map[uint64]bool{1<<32 - 1: true, 1 << 32: false, 1 << 40: false} {
		if err := check(updates, 5); (err == nil) != good || !good && !errors.Is(err, ErrStream) {
			t.Errorf("%d updates: %v", updates, err)
		}
	}
	if s, err := Analyze([]uint32{Inactive}, 3); err != nil || s.Updates != 0 || s.Positions != 1 {
		t.Errorf("padding alone: %+v, %v", s, err)
	}
}

func BenchmarkAnalyze(b *testing.B) {
	indices := skewed(4, 1<<20, 1<<17)
	b.SetBytes(int64(4 * len(indices)))
	for b.Loop() {
		if _, err := Analyze(indices, 1<<17); err != nil {
			b.Fatal(err)
		}
	}
}
