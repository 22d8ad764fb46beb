package collision

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ofBlocks is a stream of blocks of 256 updates of random targets below k, some of which are made otherwise.
func ofBlocks(blocks int, k uint32, some []int, otherwise func(block []uint32)) []uint32 {
	random, keys := rand.New(rand.NewPCG(1, 2)), make([]uint32, 256*blocks)
	for i := range keys {
		keys[i] = random.Uint32N(k)
	}
	for _, b := range some {
		otherwise(keys[256*b : 256*(b+1)])
	}
	return keys
}

// constant makes all updates of a block those of one target.
func constant(block []uint32) {
	for i := range block {
		block[i] = 7
	}
}

// samples counts the seeds below 20 of which a sample has a property.
func samples(t *testing.T, keys []uint32, blocks int, has func(Stats) bool) (n int) {
	t.Helper()
	for seed := range uint64(20) {
		if has(analyze(t, keys, Options{Sample: blocks, Seed: seed})) {
			n++
		}
	}
	return n
}

// TestSamplesMiss: known gaps, which doc/results/sampling.md lists. What samples do not show, they do not; once
// this fails for one, that gap has closed.
func TestSamplesMiss(t *testing.T) {
	few := ofBlocks(1024, 1<<20, []int{100, 500, 900}, constant)
	ofFew := analyze(t, few, Options{})
	skewed := draw(3, 3, 1<<18, 1<<16)
	ofSkewed := analyze(t, skewed, Options{})
	equal := ofBlocks(1024, 20000, nil, nil)
	ofEqual := analyze(t, equal, Options{})

	var hot, frequent []int // blocks with a target in each warp, and with another in one warp
	for i := range 16 {
		hot = append(hot, 512*i+100)
	}
	for i := range 64 {
		frequent = append(frequent, 128*i+3)
	}
	rare := ofBlocks(1<<13, 1<<31, hot, func(block []uint32) {
		for i := 0; i < len(block); i += 32 {
			block[i] = 3
		}
	})
	for _, b := range frequent {
		constant(rare[256*b:][:32])
	}
	missed := 0
	for seed := range uint64(20) {
		warps := analyze(t, rare, Options{Seed: seed}).HotWarps * float64(len(rare)/32)
		if warps < 0.9*float64(8*len(hot)) {
			missed++
		}
	}
	together := true
	s := analyze(t, skewed, Options{Sample: 100, Seed: 1})
	for _, by := range []float64{-0.5, 0.5} {
		m := s.Shifted(by)
		together = together && (m.BlockLevel-s.BlockLevel)*by > 0 && (m.MaxFrequency > s.MaxFrequency) == (by > 0)
	}
	const seeds = 20
	for gap, open := range map[string]bool{
		"the interval where few blocks differ": samples(t, few, 64, func(s Stats) bool {
			return math.Abs(s.WarpLevel-ofFew.WarpLevel) > s.Sampled.HalfWidth.WarpLevel
		}) > seeds/2,
		"few blocks that differ": samples(t, few, 64, func(s Stats) bool {
			return s.MaxFrequency < 256
		}) > seeds/2,
		"targets that occur, where their frequencies differ": samples(t, skewed, 100,
			func(s Stats) bool { return s.Unique < ofSkewed.Unique }) == seeds,
		"the highest frequency": samples(t, few, 64,
			func(s Stats) bool { return s.MaxFrequency < ofFew.MaxFrequency }) > seeds/2,
		"a target that is hot in few blocks": missed > seeds/4,
		"Cover of equally frequent targets": samples(t, equal, 100, func(s Stats) bool {
			return s.Cover[6] < ofEqual.Cover[6]
		}) == seeds,
		"statistics that do not all move together": together,
	} {
		if !open {
			t.Errorf("%s: the known gap has closed", gap)
		}
	}
}

// TestStatisticsKnowNoTime: they are the same of a target that is hot in one stretch of the stream and of
// one that is so in the same blocks throughout.
func TestStatisticsKnowNoTime(t *testing.T) {
	half := func(block []uint32) {
		for i := 0; i < len(block); i += 2 {
			block[i] = 7
		}
	}
	var stretch []int
	for i := range 64 {
		stretch = append(stretch, i)
	}
	keys := ofBlocks(1024, 1<<20, stretch, half)
	same := make([]uint32, 0, len(keys)) // the blocks in another order
	of := func(b int) []uint32 { return keys[256*b : 256*(b+1)] }
	next := len(stretch)
	for b := range 1024 {
		if b%16 == 0 {
			same = append(same, of(b/16)...)
		} else {
			same = append(same, of(next)...)
			next++
		}
	}
	if diff := cmp.Diff(analyze(t, keys, Options{}), analyze(t, same, Options{})); diff != "" {
		t.Error(diff)
	}
}
