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
