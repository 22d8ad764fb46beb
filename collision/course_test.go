package collision

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// TestStretchesAreTheirWarps: each stretch is what its warps are, counted one by one, whatever the
// chunks and the looks in between; they follow each other without a gap, and there are no more than fit.
func TestStretchesAreTheirWarps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{1, 4, 32}).Draw(t, "warp")
		indices := make([]uint32, rapid.IntRange(1, 20000).Draw(t, "n"))
		random := splitmix.New(rapid.Uint64().Draw(t, "seed"))
		for i := range indices {
			if indices[i] = uint32(random.Below(6)); indices[i] == 5 {
				indices[i] = Inactive
			}
		}
		padded := rapid.Bool().Draw(t, "padded")
		c := NewCourse(size, padded)
		for rest := indices; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "chunk")
			c.Add(rest[:n])
			c.Stretches()
			c.Distinct()
			rest = rest[n:]
		}
		distinct := make([]uint64, size+1)
		var degrees []int
		for warp := range slices.Chunk(indices, size) {
			lanes, most := map[uint32]int{}, 0
			for _, target := range warp {
				if !padded || target != Inactive {
					lanes[target]++
					most = max(most, lanes[target])
				}
			}
			distinct[len(lanes)]++
			degrees = append(degrees, most)
		}
		if !slices.Equal(c.Distinct(), distinct) {
			t.Fatalf("distinct targets %v, want %v", c.Distinct(), distinct)
		}
		list, next := c.Stretches(), uint64(0)
		for _, s := range list {
			own := degrees[s.First/uint64(size):][:s.Warps]
			sum := 0
			for _, degree := range own {
				sum += degree
			}
			if s.First != next || s.Least != slices.Min(own) || s.Most != slices.Max(own) ||
				math.Abs(s.Mean-float64(sum)/float64(len(own))) > 1e-9 {
				t.Fatalf("%+v, want one from %d on, its warps have degrees %v", s, next, own)
			}
			next += s.Warps * uint64(size)
		}
		if n := uint64(len(indices)); next < n || next >= n+uint64(size) || len(list) > 2*stretches {
			t.Fatalf("%d stretches to %d of %d updates", len(list), next, n)
		}
	})
}

// TestStretchesTellPlaces: a stream whose second half is one target shows it there.
func TestStretchesTellPlaces(t *testing.T) {
	c := NewCourse(32, false)
	own := make([]uint32, 1<<20)
	for i := range own {
		own[i] = uint32(i)
	}
	c.Add(own)
	c.Add(make([]uint32, 1<<20))
	list := c.Stretches()
	if len(list) < stretches {
		t.Fatalf("%d stretches", len(list))
	}
	for _, s := range list {
		want := 1.0
		if s.First >= 1<<20 {
			want = 32
		}
		if s.Mean != want || s.Least != s.Most {
			t.Fatalf("%+v, want a degree of %v", s, want)
		}
	}
}
