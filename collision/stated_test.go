package collision

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/lab/validate"
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

// TestStatedOfSamples: what doc/sampling.md says that samples do not show, they do not.
func TestStatedOfSamples(t *testing.T) {
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
	if err := validate.Stated("../doc/sampling.md", map[string]bool{
		"Where a few blocks of a long stream differ wildly from all the others, a sample that missed them claims too narrow an interval": samples(t, few, 64, func(s Stats) bool {
			return math.Abs(s.WarpLevel-ofFew.WarpLevel) > s.Sampled.HalfWidth.WarpLevel
		}) > seeds/2,
		"a few blocks that differ wildly can be missed": samples(t, few, 64, func(s Stats) bool {
			return s.MaxFrequency < 256
		}) > seeds/2,
		"It tends to lie below the truth where targets differ much in frequency": samples(t, skewed, 100,
			func(s Stats) bool { return s.Unique < ofSkewed.Unique }) == seeds,
		"The true maximum can be higher: the half may not have found the right target": samples(t, few, 64,
			func(s Stats) bool { return s.MaxFrequency < ofFew.MaxFrequency }) > seeds/2,
		"A target that is hot in few blocks can be missed": missed > seeds/4,
		"`Cover` is too low in the mean": samples(t, equal, 100, func(s Stats) bool {
			return s.Cover[6] < ofEqual.Cover[6]
		}) == seeds,
		"statistics do not all move together": together,
	}); err != nil {
		t.Error(err)
	}
}

// TestStatedOfTime: what doc/THEORY.md says of time, statistics do not tell: they are the same of a
// target that is hot in one stretch of the stream and of one that is so in the same blocks throughout.
func TestStatedOfTime(t *testing.T) {
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
	diff := cmp.Diff(analyze(t, keys, Options{}), analyze(t, same, Options{}))
	if err := validate.Stated("../doc/THEORY.md", map[string]bool{
		"a target whose updates all come in one short stretch has the statistics of one whose updates are " +
			"spread out, but for what stands in one warp or block": diff == "",
	}); err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}
