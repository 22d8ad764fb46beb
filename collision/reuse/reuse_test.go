package reuse_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/collision/reuse"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// plainMisses simulates the cache.
func plainMisses(indices []uint32, capacity int) float64 {
	var recent []uint32
	missed, updates := 0, 0
	for _, row := range indices {
		if row == collision.Inactive {
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
			out[i] = collision.Inactive
		}
	}
	return out
}

// TestSampledMisses: of many rows a part is followed.
func TestSampledMisses(t *testing.T) {
	const rows = 1 << 17
	indices := skewed(2, 1<<20, rows)
	s := analyzed(t, indices, rows)
	whole := reuse.WholeMisses(indices, s.Updates)
	for j, want := range whole {
		if math.Abs(s.Misses[j]-want) > 0.03 {
			t.Errorf("%d rows: %v misses, want %v", uint64(1)<<j, s.Misses[j], want)
		}
	}
}

// analyzed measures a stream with padding.
func analyzed(t *testing.T, indices []uint32, rows uint64) *reuse.Stats {
	t.Helper()
	s, err := collision.Analyze(indices, collision.Options{Bins: rows, Rows: true, Padded: true})
	if err != nil {
		t.Fatal(err)
	}
	return s.Rows
}

// TestManyRows: how rows are used again does not hang on how many there are besides, nor on where the stream is cut.
func TestManyRows(t *testing.T) {
	indices := skewed(3, 500000, 70000)
	few, many := analyzed(t, indices, 70000), analyzed(t, indices, 1<<31)
	a, err := collision.NewAccumulator(collision.Options{Bins: 70000, Rows: true, Padded: true})
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(indices, 70001) {
		if err := a.Add(part); err != nil {
			t.Fatal(err)
		}
	}
	cut, err := a.Stats()
	if err != nil {
		t.Fatal(err)
	}
	many.Rows = few.Rows
	for _, other := range []*reuse.Stats{many, cut.Rows} {
		if diff := cmp.Diff(few, other); diff != "" {
			t.Errorf("-few +other:\n%s", diff)
		}
	}
}

func TestBadStreams(t *testing.T) {
	for _, o := range []collision.Options{{Rows: true}, {Rows: true, Bins: 1 << 32}} {
		if _, err := collision.Analyze([]uint32{collision.Inactive}, o); !errors.Is(err, collision.ErrRows) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if err := (collision.Options{Rows: true, Sample: 8}).Validate(); !errors.Is(err, collision.ErrOptions) {
		t.Errorf("a sample: %v", err)
	}
}
