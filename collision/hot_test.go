package collision

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/atomtune/atomtune/collision/internal/kernel"
)

// hotStreams are longer than the sample and change their nature from part to
// part, so that no mean over warps tells the hottest target.
var hotStreams = []struct {
	name string
	keys func() []uint32
	// tolerance is the relative error that a user has to reckon with.
	tolerance float64
}{
	{"constant and uniform in parts of 2741", func() []uint32 {
		return inParts(2741, func(r *rand.Rand, part, _ int) uint32 {
			if part%5 == 0 {
				return 17
			}
			return r.Uint32N(4000)
		})
	}, 0.1},
	{"two hot targets, one in pairs, in parts of 100", func() []uint32 {
		return inParts(100, func(r *rand.Rand, part, i int) uint32 {
			switch {
			case part%3 == 0 && i%4 < 2:
				return 900
			case r.Uint32N(20) == 0:
				return 70000
			}
			return r.Uint32N(1 << 20)
		})
	}, 0.05},
	{"skewed", func() []uint32 { return draw(3, 4, hotLength, 4096) }, 0.02},
	{"uniform", func() []uint32 { return draw(0, 4, hotLength, 300) }, 0.1},
	{"sorted", func() []uint32 { return draw(2, 4, hotLength, 300) }, 0.35},
}

const hotLength = 1<<19 + 333

// inParts draws a stream of parts of so many updates.
func inParts(length int, of func(r *rand.Rand, part, i int) uint32) []uint32 {
	r := rand.New(rand.NewPCG(2, 3))
	keys := make([]uint32, hotLength)
	for i := range keys {
		keys[i] = of(r, i/length, i%length)
	}
	return keys
}

// TestHotEstimates compares what an exact analysis estimates with a count of
// the whole stream: within four of the documented standard errors, and within
// what a user expects.
func TestHotEstimates(t *testing.T) {
	for _, c := range hotStreams {
		keys := c.keys()
		got := analyze(t, keys, Options{})
		if err := got.Check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, of := range []struct {
			name  string
			got   float64
			count func(kernel.TargetCount) uint64
		}{
			{"hot_warps", got.HotWarps, func(c kernel.TargetCount) uint64 { return c.Warps }},
			{"hot_segments", got.HotSegments, func(c kernel.TargetCount) uint64 { return c.Segments }},
		} {
			target, most := hottestOf(keys, of.count)
			want := float64(most) / math.Ceil(float64(len(keys))/32)
			off := math.Abs(of.got - want)
			if limit := 4 * documentedError(keys, target, of.count); off > limit+1e-12 {
				t.Errorf("%s: %s %v, of the whole stream %v: off by %v, four standard errors are %v",
					c.name, of.name, of.got, want, off, limit)
			}
			if off > c.tolerance*want {
				t.Errorf("%s: %s %v, of the whole stream %v: off by more than %v of it",
					c.name, of.name, of.got, want, c.tolerance)
			}
		}
	}
}

// hottestOf returns the target of which there is most in warps of 32, and how
// much.
func hottestOf(keys []uint32, count func(kernel.TargetCount) uint64) (target uint32, most uint64) {
	all := make([]kernel.TargetCount, slices.Max(keys)+1)
	last := make([]int, len(all))
	for i, key := range keys {
		c := &all[key]
		if i%32 == 0 || keys[i-1] != key {
			c.Segments++
		}
		if last[key] != i/32+1 {
			c.Warps++
			last[key] = i/32 + 1
		}
		if n := count(*c); n > most {
			target, most = key, n
		}
	}
	return target, most
}

// documentedError is the standard error that Stats states, from all blocks of
// the stream; three quarters of the sample count.
func documentedError(keys []uint32, target uint32, count func(kernel.TargetCount) uint64) float64 {
	var x, y []float64
	k := Options{}.normal().kernel()
	for block := range slices.Chunk(keys, 256) {
		c := k.CountTarget(block, target)
		x, y = append(x, float64(c.Updates)), append(y, float64(count(c)))
	}
	r := 0.0
	if stat.StdDev(x, nil) > 0 && stat.StdDev(y, nil) > 0 {
		r = stat.Correlation(x, y, nil)
	}
	return stat.StdDev(y, nil) * math.Sqrt(max(1-r*r, 0)) / math.Sqrt(0.75*hotBlocks) / 8
}

// TestCountTarget compares the ways to count with one another: one target, and all in a
// table.
func TestCountTarget(t *testing.T) {
	for dist := range streams {
		keys := draw(dist, 8, 5000, 40)
		all := new(hotTable)
		all.reset(40)
		all.add(keys, 32, false)
		plain := Options{}.normal().kernel()
		for target := range uint32(40) {
			want := plain.CountTarget(keys, target)
			if got := all.find(target).value; uint64(got[0]) != want.Warps ||
				uint64(got[1]) != want.Segments {
				t.Errorf("dist=%s target=%d: the table holds %+v, counted %+v", streams[dist].name,
					target, got, want)
			}
		}
	}
}

// TestRegress: where y is proportional to x the total of y follows from that of
// x without error.
func TestRegress(t *testing.T) {
	p := population{blocks: 100}
	x := []float64{1, 4, 2, 9, 5}
	y := make([]float64, len(x))
	for i := range x {
		y[i] = 0.25 * x[i]
	}
	if total, half := p.regress(x, y, 1000, 7, 1); math.Abs(total-257) > 1e-9 || half > 1e-9 {
		t.Errorf("total %v ± %v, want 257", total, half)
	}
	if total, _ := p.regress(make([]float64, 5), make([]float64, 5), 30, 2, 0.5); total != 17 {
		t.Errorf("a target outside the sample: total %v, want 17", total)
	}
}

// TestMissEstimates compares an analysis of streams longer than the kept blocks with one in which
// all blocks count.
func TestMissEstimates(t *testing.T) {
	for _, c := range hotStreams[:3] {
		keys := c.keys()
		got, all := analyze(t, keys, Options{}), analyze(t, keys, Options{Sample: 4096})
		for i := range all.Misses {
			g, a := &got.Misses[i], &all.Misses[i]
			if g.MaxFrequency != a.MaxFrequency || math.Abs(g.LanesPerWarp-a.LanesPerWarp) > 1e-9*a.LanesPerWarp {
				t.Errorf("%s, table %d: %+v, want frequency and lanes of %+v", c.name, i, *g, *a)
			}
			want := a.means()
			for figure, mean := range g.means() {
				if off := math.Abs(*mean - *want[figure]); off > 0.03**want[figure] {
					t.Errorf("%s, table %d, figure %d: %v, want %v", c.name, i, figure, *mean, *want[figure])
				}
			}
		}
	}
}

// TestHotRoom: long blocks do not take more room.
func TestHotRoom(t *testing.T) {
	for block, want := range map[int]int{1: 1024, 256: 1024, 1024: 1024, 4096: 256, 1 << 16: 16} {
		if got := hotSampleSize(block); got != want {
			t.Errorf("blocks of %d: %d kept, want %d", block, got, want)
		}
	}
}
