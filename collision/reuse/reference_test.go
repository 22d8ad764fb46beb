package reuse_test

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/collision/reuse"
)

// reference makes all statistics from their definitions.
func reference(indices []uint32, rows uint64) *reuse.Stats {
	frequency := map[uint32]uint64{}
	s := &reuse.Stats{Positions: uint64(len(indices)), Rows: rows}
	for _, row := range indices {
		if row != collision.Inactive {
			frequency[row]++
			s.Updates++
		}
	}
	s.Unique = uint64(len(frequency))
	hottest := uint32(collision.Inactive)
	for _, row := range slices.Sorted(maps.Keys(frequency)) {
		if n := frequency[row]; n > s.MaxFrequency {
			hottest, s.MaxFrequency = row, n
		}
	}
	counts := slices.Sorted(maps.Values(frequency))
	slices.Reverse(counts)
	for j := range s.Cover {
		covered := uint64(0)
		for rank, n := range counts {
			if uint64(rank) < 1<<j {
				covered += n
			}
		}
		s.Cover[j] = float64(covered) / float64(s.Updates)
	}
	for j := range s.Repeats {
		for at, row := range indices {
			if before := at - 1<<j; row != collision.Inactive && before >= 0 && indices[before] == row {
				s.Repeats[j] += 1 / float64(s.Updates)
				if row == hottest {
					s.HotRepeats[j] += 1 / float64(s.MaxFrequency)
				}
			}
		}
	}
	s.Busiest = busiest(frequency, nil)
	var far []uint32
	length := (len(indices) + reuse.Stretches - 1) / reuse.Stretches
	for from := 0; from < length; from += reuse.Together {
		for at := range indices {
			if place := at % length; place >= from && place < from+reuse.Together {
				far = append(far, indices[at])
			}
		}
	}
	for j := range s.Misses {
		capacity := min(1<<j, len(frequency)) // no row is dropped from a larger cache
		if s.Misses[j], s.FarMisses[j] = s.Misses[max(j, 1)-1], s.FarMisses[max(j, 1)-1]; 1<<j < 2*len(frequency) {
			s.Misses[j], s.FarMisses[j] = plainMisses(indices, capacity), plainMisses(far, capacity)
		}
	}
	for j := range s.Tables {
		held := referenceTags(indices, 2<<j)
		table := reuse.Table{Slots: len(held), Busiest: busiest(frequency, held)}
		for row := range held {
			table.Cover += float64(frequency[row]) / float64(s.Updates)
		}
		s.Tables[j] = table
	}
	return s
}

// busiest adds up the updates of neighbouring rows, without those of some.
func busiest(frequency map[uint32]uint64, without map[uint32]bool) (most reuse.ByGroup) {
	for j := range most {
		sums := map[uint32]uint64{}
		for row, n := range frequency {
			if !without[row] {
				sums[row/(1<<j)] += n
				most[j] = max(most[j], sums[row/(1<<j)])
			}
		}
	}
	return most
}

// referenceTags are the rows with a slot: in each the row whose counter is highest in the sample, of
// equal ones the earliest. Rows share counters as they share slots.
func referenceTags(indices []uint32, slots uint64) map[uint32]bool {
	sample := indices
	if n := len(indices); n > reuse.Samples {
		sample = nil
		for j := range reuse.Samples {
			fraction := float64(uint64(j)*2654435769%(1<<32)) / (1 << 32)
			within := math.Floor(fraction * float64(n))
			sample = append(sample, indices[(j*n+int(within))/reuse.Samples])
		}
	}
	counters := max(4096, 8*slots)
	hash := func(row uint32, factor, places uint64) uint64 {
		return uint64(row) * factor % (1 << 32) / ((1 << 32) / places)
	}
	count := map[uint64]int{}
	for _, row := range sample {
		if row != collision.Inactive {
			count[hash(row, 2246822519, counters)]++
		}
	}
	tags, best := map[uint64]uint32{}, map[uint64]int{}
	for _, row := range sample {
		slot, n := hash(row, 2654435761, slots), count[hash(row, 2246822519, counters)]
		if row != collision.Inactive && n > max(1, best[slot]) {
			tags[slot], best[slot] = row, n
		}
	}
	held := map[uint32]bool{}
	for _, row := range tags {
		held[row] = true
	}
	return held
}

// TestReference: every statistic is that of its definition, and none is 0 in all streams, as one is
// that the reference does not make.
func TestReference(t *testing.T) {
	seen := map[string]bool{}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	for seed, c := range []struct {
		n    int
		rows uint64
	}{{1, 1}, {50, 3}, {700, 5}, {2049, 40}, {4096, 5000}, {20000, 300}, {70000, 800}} {
		indices := skewed(uint64(seed), c.n, c.rows)
		got := analyzed(t, indices, c.rows)
		want := reference(indices, c.rows)
		if diff := cmp.Diff(want, got, near); diff != "" {
			t.Fatalf("%+v (-reference +got):\n%s", c, diff)
		}
		known("", reflect.ValueOf(*want), seen)
	}
	if len(seen) < 6 {
		t.Fatalf("statistics %v", seen)
	}
	for name, some := range seen {
		if !some {
			t.Errorf("%s: 0 in every stream", name)
		}
	}
}

// known notes for each number whether it was something other than 0.
func known(name string, v reflect.Value, seen map[string]bool) {
	switch v.Kind() {
	case reflect.Struct:
		for f, field := range v.Fields() {
			known(name+"."+f.Name, field, seen)
		}
	case reflect.Array:
		for i := range v.Len() {
			known(fmt.Sprintf("%s.%d", name, i), v.Index(i), seen)
		}
	default:
		seen[name] = seen[name] || !v.IsZero()
	}
}
